import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { rolldown } from 'rolldown';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser of this machine, by `CHROMIUM` or on `PATH`; none is ever downloaded. */
export function chromiumPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['CHROMIUM'];
  const folders = (env['PATH'] ?? '').split(delimiter);
  const candidates =
    named === undefined
      ? NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
      : [named];
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Headless, and silent towards the network. */
export function startChromium(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args: [...args, ...quiet] });
}

/** A module of this folder and all that it imports, from the sources, as one script which leaves its exports in `name`. */
export async function scriptOf(file: string, name: string): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(file, import.meta.url)),
    platform: 'browser',
    resolve: { conditionNames: ['@holdfast/source', 'browser', 'import', 'default'] },
    // Only code with an address to connect to loads it, and no code here has one.
    external: [
      'ioredis',
      'iovalkey',
      'redis',
      /^node:/,
      /\/adapters\/(sockets|zookeeper|grpc|open-database|client)\.ts$/,
    ],
  });
  const { output } = await bundle.generate({ format: 'iife', name, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
