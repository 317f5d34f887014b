import type { SourceFile } from './source-file.ts';

/** Spelt apart so that this very file does not carry one. */
const HOMES = ['work', 'root', 'home', 'Users'].join('|');
const MACHINE_PATH = new RegExp(`(?<![\\w.$})-])/(?:${HOMES})/[\\w.-]+`, 'g');

/** Absolute paths of somebody's machine. */
export function machinePaths(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    (file.text.match(MACHINE_PATH) ?? []).map((path) => `${file.path} names ${path}`),
  );
}
