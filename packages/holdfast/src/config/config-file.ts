import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@holdfast/core';
import { didYouMean, redactText, redactUrl } from '@holdfast/core/backend';
import type { Config } from '../backends/built-in.ts';
import { withEnvironment } from './environment.ts';
import { importUrl } from './import-url.ts';
import { parseJson } from './json-text.ts';
import { messageOf, redactCause } from './redact.ts';
import { checkedStore } from './stores.ts';

const EXTENSIONS = ['.json', '.mjs', '.js', '.ts', '.mts'];

/** The work of `loadConfig`, which loads this module only if a file is given. */
export async function readConfig(path: string, store?: string): Promise<Config> {
  const file: ConfigFile = {
    path: resolve(path),
    name: redactUrl(path),
    isPrintable: redactUrl(path) === path && redactUrl(resolve(path)) === resolve(path),
  };
  const kind = extname(path);
  if (kind === '.json') {
    const content = { config: parseJson(await read(file), file.name), where: file.name };
    return checkedStore(content, store, withEnvironment);
  }
  if (EXTENSIONS.includes(kind))
    return checkedStore({ config: await defaultExport(file), where: file.name }, store);
  const hint = didYouMean(kind, EXTENSIONS);
  throw new ConfigError(
    `${file.name} is neither a URL nor a configuration file; those end in ${EXTENSIONS.join(', ')}.${hint}`,
  );
}

/** A file, and its name in errors: the text given as a path may be a URL with a password. */
interface ConfigFile {
  readonly path: string;
  readonly name: string;
  /** True if neither its name nor its whole path shows a password. */
  readonly isPrintable: boolean;
}

async function read(file: ConfigFile): Promise<string> {
  try {
    return await readFile(file.path, 'utf8');
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

async function defaultExport(file: ConfigFile): Promise<unknown> {
  // Read first: the error of an import does not distinguish a missing file from a missing dependency.
  await read(file);
  const module = await importFile(file);
  if (!('default' in module)) {
    throw new ConfigError(
      `${file.name} has no default export; write export default { backend: … }`,
    );
  }
  return module['default'];
}

async function importFile(file: ConfigFile): Promise<Record<string, unknown>> {
  try {
    return await importUrl(pathToFileURL(file.path).href);
  } catch (cause) {
    const code = codeOf(cause);
    const why = code === 'ERR_UNKNOWN_FILE_EXTENSION' ? noTypeScript : messageIn(file, cause);
    throw new ConfigError(`${file.name} could not be loaded: ${why}`, causeIn(file, cause));
  }
}

const noTypeScript = 'this Node does not load TypeScript (22.18 and later do); use .json or .mjs';

function unreadable(file: ConfigFile, cause: unknown): ConfigError {
  const why: Record<string, string> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder, not a file',
    EACCES: 'may not be read',
  };
  const reason = why[codeOf(cause) ?? ''] ?? `could not be read: ${messageIn(file, cause)}`;
  return new ConfigError(`configuration file ${file.name} ${reason}`, causeIn(file, cause));
}

/** The error text for a file. Messages of Node contain the path, and so would show a password in it. */
function messageIn({ isPrintable: isOpen }: ConfigFile, cause: unknown): string {
  return isOpen ? redactText(messageOf(cause)) : (codeOf(cause) ?? 'it throws');
}

function causeIn(
  { isPrintable: isOpen }: ConfigFile,
  cause: unknown,
): { readonly cause?: unknown } {
  return isOpen ? { cause: redactCause(cause) } : {};
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}
