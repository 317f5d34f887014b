import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { editedLock, editingOf, type PackageSources } from '../edited/index.ts';
import type { StoryCode, Subject } from '../simulator/index.ts';

/** What opens the lock of code that a story carries. Reads the files that it needs at once. */
export function openerOf(lock: string, code: StoryCode): () => Promise<Subject> {
  const sources = builtSources(lock);
  return () => editedLock(lock, code, sources);
}

/** The files of the package of a lock as they were built; none for a lock whose package cannot be edited. */
export function builtSources(lock: string): PackageSources {
  const name = editingOf(lock)?.package;
  if (name === undefined) return {};
  const folder = fileURLToPath(folderOf(name));
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && !path.startsWith('adapters'))
    .map((path) => path.replaceAll('\\', '/'));
  const files = paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const);
  return { [name]: Object.fromEntries(files) };
}

/** Exhibits are a folder of this package. */
function folderOf(name: string): URL {
  return name === 'exhibits'
    ? new URL('../exhibits/', import.meta.url)
    : new URL('.', import.meta.resolve(`@holdfast/${name}`));
}
