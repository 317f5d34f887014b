import { dirname, resolve } from 'node:path';
import { ConfigError } from '@holdfast/core';
import { nearest, redactUrl, shown } from '@holdfast/core/backend';
import type { Config } from '../backends/built-in.ts';
import { BACKENDS } from '../backends/built-in.ts';
import type { Scheme } from '../backends/record.ts';
import { entriesOf } from './check-config.ts';
import { checkedStore, type Named } from './stores.ts';
import type { Stores } from './types.ts';
import { type Entries, splitUrl } from './url-parameters.ts';

/** A checked configuration, and the folder from which its files and packages are resolved. */
export interface ResolvedConfig {
  readonly config: Config;
  readonly folder: string;
}

/** Schemes by their names in lower case, each with the options of its backend. */
const SCHEMES: ReadonlyMap<string, Scheme & { readonly entries: Entries }> = new Map(
  BACKENDS.flatMap(({ schemes, schema }) =>
    Object.entries(schemes).map(([name, scheme]) => [
      name,
      { ...scheme, entries: entriesOf(schema) },
    ]),
  ),
);
/** Two letters or more: one letter is a Windows drive. */
const SCHEME = /^([a-z][a-z0-9+.-]+):(.*)$/is;

/** Which of several stores is meant. */
export interface StoreChoice {
  /** The name of a store, where the configuration has `stores`. */
  readonly store?: string | undefined;
}

/**
 * Resolves a URL, an object or a path to a configuration. Opens nothing.
 * @throws ConfigError
 */
export async function resolveSource(
  source: string | Config | Stores,
  { store }: StoreChoice = {},
): Promise<ResolvedConfig> {
  if (store !== undefined && typeof store !== 'string')
    throw new ConfigError(`store must be a name, not ${shown(store)}`);
  const here = process.cwd();
  if (typeof source !== 'string')
    return { config: checkedStore({ config: source, where: 'config' }, store), folder: here };
  if (source === '') throw new ConfigError('openLocks needs a URL, a configuration or a path');
  if (SCHEME.test(source)) return { config: checkedStore(fromUrl(source), store), folder: here };
  return { config: await loadConfig(source, { store }), folder: dirname(resolve(source)) };
}

/**
 * Reads and checks a configuration file: `.json`, or a module whose default export is the configuration
 * (`.ts` if the runtime can load it). In JSON, `${NAME}` stands for an environment variable. Opens nothing.
 * @example
 * ```ts
 * const config = await loadConfig('holdfast.json', { store: 'orders' });
 * log(config.backend, config.waitMs);
 * const locks = await openLocks(config);
 * ```
 * @param path relative to the working directory
 * @throws ConfigError
 */
export async function loadConfig(path: string, { store }: StoreChoice = {}): Promise<Config> {
  if (typeof path !== 'string')
    throw new ConfigError(`loadConfig needs the path of a file, not ${shown(path)}`);
  const { readConfig } = await import('./config-file.ts');
  return await readConfig(path, store);
}

function fromUrl(url: string): Named {
  const [, scheme = '', rest = ''] = SCHEME.exec(url) ?? [];
  const known = SCHEMES.get(scheme.toLowerCase());
  if (known === undefined) throw unknownScheme(url, scheme, rest);
  const { url: address, options } = splitUrl(url, known.entries);
  const where = `URL "${redactUrl(url)}"`;
  const config = known.config(address, address.slice(scheme.length + 1));
  const twice = Object.keys(options).find((name) => Object.hasOwn(config, name));
  if (twice !== undefined)
    throw new ConfigError(`${where} cannot set "${twice}" by a parameter: it says that itself`);
  return { config: { ...config, ...options }, where };
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
