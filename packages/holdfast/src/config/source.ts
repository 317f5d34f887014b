import { dirname, resolve } from 'node:path';
import { ConfigError, nearest, redactUrl, shown } from '@holdfast/core';
import type { Config } from '../backends/built-in.ts';
import { BACKENDS } from '../backends/built-in.ts';
import type { Scheme } from '../backends/record.ts';
import { checkConfig } from './check-config.ts';

/** A checked configuration, and the folder from which its files and packages are resolved. */
export interface ResolvedConfig {
  readonly config: Config;
  readonly folder: string;
}

/** Schemes by their names in lower case. */
const SCHEMES: ReadonlyMap<string, Scheme> = new Map(
  BACKENDS.flatMap(({ schemes }) => Object.entries(schemes)),
);
/** Two letters or more: one letter is a Windows drive. */
const SCHEME = /^([a-z][a-z0-9+.-]+):(.*)$/is;

/**
 * Resolves a URL, an object or a path to a configuration. Opens nothing.
 * @throws ConfigError
 */
export async function resolveSource(source: string | Config): Promise<ResolvedConfig> {
  if (typeof source !== 'string') {
    return { config: checkConfig(source, 'config'), folder: process.cwd() };
  }
  if (source === '') throw new ConfigError('openLocks needs a URL, a configuration or a path');
  if (SCHEME.test(source)) return { config: fromUrl(source), folder: process.cwd() };
  return { config: await loadConfig(source), folder: dirname(resolve(source)) };
}

/**
 * Reads and checks a configuration file: `.json`, or a module whose default export is the configuration
 * (`.ts` if the runtime can load it). Opens nothing.
 * @param path relative to the working directory
 * @throws ConfigError
 */
export async function loadConfig(path: string): Promise<Config> {
  if (typeof path !== 'string')
    throw new ConfigError(`loadConfig needs the path of a file, not ${shown(path)}`);
  const { readConfig } = await import('./config-file.ts');
  return await readConfig(path);
}

function fromUrl(url: string): Config {
  const [, scheme = '', rest = ''] = SCHEME.exec(url) ?? [];
  const known = SCHEMES.get(scheme.toLowerCase());
  if (known === undefined) throw unknownScheme(url, scheme, rest);
  return checkConfig(known.config(url, rest), `URL "${redactUrl(url)}"`);
}

function unknownScheme(url: string, scheme: string, rest: string): ConfigError {
  const known = `use one of ${[...SCHEMES.values()].map((each) => each.shown).join(', ')}`;
  if (/^\d+(?:$|[/?])/.test(rest)) {
    return new ConfigError(
      `"${redactUrl(url)}" has no scheme. Did you mean "redis://${redactUrl(url)}"?`,
    );
  }
  const suggestion = nearest(scheme, [...SCHEMES.keys()]);
  const hint = suggestion === undefined ? '' : ` Did you mean "${SCHEMES.get(suggestion)?.shown}"?`;
  return new ConfigError(`unknown URL scheme "${scheme}:"; ${known}.${hint}`);
}
