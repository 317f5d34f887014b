import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@holdfast/core';
import { checkConfig } from './check-config.ts';
import { parseJson } from './json-text.ts';
import { didYouMean } from './nearest.ts';
import { redactText, redactUrl } from './redact.ts';
import type { Config } from './types.ts';

const EXTENSIONS = ['.json', '.mjs', '.js', '.ts', '.mts'];

/**
 * Reads and checks a configuration file: `.json`, or a module whose default export is the configuration
 * (`.ts` where the runtime can load it). Opens nothing.
 * @param path relative to the working directory
 * @throws ConfigError
 */
export async function loadConfig(path: string): Promise<Config> {
  const file = resolve(path);
  const kind = extname(file);
  if (kind === '.json') return checkConfig(parseJson(await read(file, path), path), path);
  if (EXTENSIONS.includes(kind)) return checkConfig(await defaultExport(file, path), path);
  const hint = didYouMean(kind, EXTENSIONS);
  throw new ConfigError(
    `${redactUrl(path)} is neither a URL nor a configuration file; those end in ${EXTENSIONS.join(', ')}.${hint}`,
  );
}

async function read(file: string, path: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function defaultExport(file: string, path: string): Promise<unknown> {
  // Read first: the error of an import does not tell a missing file from a missing dependency of it.
  await read(file, path);
  const module = await importFile(file, path);
  if (!('default' in module)) {
    throw new ConfigError(`${path} has no default export; write export default { backend: … }`);
  }
  return module['default'];
}

async function importFile(file: string, path: string): Promise<Record<string, unknown>> {
  try {
    const module: Record<string, unknown> = await import(pathToFileURL(file).href);
    return module;
  } catch (cause) {
    const code = codeOf(cause);
    const why = code === 'ERR_UNKNOWN_FILE_EXTENSION' ? noTypeScript : redactText(messageOf(cause));
    throw new ConfigError(`${path} could not be loaded: ${why}`, { cause });
  }
}

const noTypeScript = 'this Node does not load TypeScript (22.18 and later do); use .json or .mjs';

function unreadable(path: string, cause: unknown): ConfigError {
  const why: Record<string, string> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder, not a file',
    EACCES: 'may not be read',
  };
  const reason = why[codeOf(cause) ?? ''] ?? `could not be read: ${messageOf(cause)}`;
  return new ConfigError(`configuration file ${redactUrl(path)} ${reason}`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
