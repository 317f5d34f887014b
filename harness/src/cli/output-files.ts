import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from 'holdfast/internal';

/**
 * The file that an option, by default `--out`, names, or `fallback`. If it names a folder, the file of the default name in it.
 * @throws UsageError if nothing can be written there, so that it is reported before the work and not after
 */
export function fileFor(said: string | undefined, fallback: string, option = '--out'): string {
  if (said === undefined) return checked(fallback, dirname(fallback), option);
  const isFolder = said.endsWith('/') || kindOf(said) === 'folder';
  const path = isFolder ? join(said, basename(fallback)) : said;
  if (kindOf(path) === 'folder') throw unwritable(path, 'it is a folder', option);
  return checked(path, dirname(path), option);
}

/**
 * The folder that `--out` names, or `fallback`.
 * @throws UsageError as {@link fileFor}
 */
export function folderFor(said: string | undefined, fallback: string): string {
  const path = said ?? fallback;
  return checked(path, path, '--out');
}

/**
 * Writes a file, and makes its parent folders.
 * @throws UsageError if that fails after all
 */
export function writeText(path: string, text: string, option = '--out'): void {
  try {
    makeFolder(resolve(dirname(path)));
    writeFileSync(path, text);
  } catch (error) {
    throw unwritable(path, messageOf(error), option);
  }
}

/**
 * Makes a folder and its parents, one by one: where none can be made, as in /proc, `recursive` of Node 20 loops forever.
 * Throws the error of the file system.
 */
export function makeFolder(folder: string): void {
  if (kindOf(folder) === 'folder') return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it meanwhile, as shards do that start together.
    if (kindOf(folder) !== 'folder') throw error;
  }
}

/** Checks that the nearest existing folder is writable. Nothing is made before there is something to write. */
function checked(path: string, folder: string, option: string): string {
  let nearest = resolve(folder);
  while (kindOf(nearest) === 'nothing' && dirname(nearest) !== nearest) nearest = dirname(nearest);
  if (kindOf(nearest) === 'file') throw unwritable(path, `${nearest} is a file`, option);
  try {
    accessSync(nearest, constants.W_OK);
  } catch (error) {
    throw unwritable(path, messageOf(error), option);
  }
  return path;
}

function kindOf(path: string): 'folder' | 'file' | 'nothing' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'nothing';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unwritable(path: string, why: string, option: string): UsageError {
  return new UsageError(`cannot write ${path}: ${why}`, `Use ${option} to name another place.`);
}
