import { dirname, resolve } from 'node:path';
import { ConfigError } from '@holdfast/core';
import { checkConfig } from './check-config.ts';
import { loadConfig } from './load-config.ts';
import { nearest } from './nearest.ts';
import { redactUrl } from './redact.ts';
import type { Config } from './types.ts';

/** A checked configuration, and the folder from which it names files and packages. */
export interface Resolved {
  readonly config: Config;
  readonly folder: string;
}

const SCHEMES: Record<string, string> = {
  memory: 'memory:',
  redis: 'redis://',
  rediss: 'rediss://',
  redlock: 'redlock://',
  zk: 'zk://',
};
/** Two letters or more: one is a drive of Windows. */
const SCHEME = /^([a-z][a-z0-9+.-]+):(.*)$/is;

/**
 * The configuration that a URL, an object or a path stands for.
 * @throws ConfigError; nothing has been opened then
 */
export async function resolveSource(source: string | Config): Promise<Resolved> {
  if (typeof source !== 'string') {
    return { config: checkConfig(source, 'config'), folder: process.cwd() };
  }
  if (source === '') throw new ConfigError('openLocks needs a URL, a configuration or a path');
  if (SCHEME.test(source)) return { config: fromUrl(source), folder: process.cwd() };
  return { config: await loadConfig(source), folder: dirname(resolve(source)) };
}

function fromUrl(url: string): Config {
  const [, scheme = '', rest = ''] = SCHEME.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case 'memory':
      if (rest === '') return { backend: 'memory' };
      throw new ConfigError(
        `"memory:" stands alone; there is nothing to reach at "${redactUrl(rest)}"`,
      );
    case 'redis':
    case 'rediss':
      return checkConfig({ backend: 'redis-simple', url }, `URL "${redactUrl(url)}"`);
    case 'redlock':
      return checkConfig({ backend: 'redlock', nodes: nodesIn(rest) }, `URL "${redactUrl(url)}"`);
    case 'zk':
      return checkConfig({ backend: 'zk', url }, `URL "${redactUrl(url)}"`);
    default:
      throw unknownScheme(url, scheme, rest);
  }
}

/** `//[user:password@]host[:port],host[:port],…[/database]`: one URL for each, with the same user and database. */
function nodesIn(rest: string): string[] {
  const [, credentials = '', hosts = '', database = ''] =
    /^\/\/(.*@)?([^/]*)(\/.*)?$/s.exec(rest) ?? [];
  return hosts.split(',').map((host) => `redis://${credentials}${host}${database}`);
}

function unknownScheme(url: string, scheme: string, rest: string): ConfigError {
  const known = `there are ${Object.values(SCHEMES).join(', ')}`;
  if (/^\d+(?:$|[/?])/.test(rest)) {
    return new ConfigError(
      `"${redactUrl(url)}" has no scheme. Did you mean "redis://${redactUrl(url)}"?`,
    );
  }
  const meant = nearest(scheme, Object.keys(SCHEMES));
  const hint = meant === undefined ? '' : ` Did you mean "${SCHEMES[meant]}"?`;
  return new ConfigError(`there is no URL scheme "${scheme}:"; ${known}.${hint}`);
}
