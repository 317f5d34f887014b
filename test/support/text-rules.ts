import type { SourceFile } from './source-file.ts';

/** Spelt apart so that this very file does not carry one. */
const HOMES = ['work', 'root', 'home', 'Users'].join('|');
const MACHINE_PATH = new RegExp(`(?<![\\w.$})-])/(?:${HOMES})/[\\w.-]+`, 'g');

/** Finds absolute paths of a developer's machine. */
export function machinePaths(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    (file.text.match(MACHINE_PATH) ?? []).map((path) => `${file.path} names ${path}`),
  );
}

/** `x.y = (…) => …`, `x.#y ??= async z => …`, `x.y = function …`. */
const ASSIGNED =
  /\.#?\w+ (?:\?\?|\|\|)?= (?:async )?(?:function\b|\w+ =>|\([^()]*\)(?:: [^=]+)? =>)/;

/**
 * Finds functions that are assigned to a property where they are written. V8 allocates such a function in old space
 * (`CheckAssigningFunctionLiteralToProperty` in its parser), and all that it refers to stays until old space is collected.
 * One of them, once a session, kept every simulated world alive and cost a quarter of all time. Give it a name first.
 */
export function oldFunctions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (ASSIGNED.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );
}
