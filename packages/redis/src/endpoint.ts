import { ConfigError } from '@holdfast/core';

/** The address of a node, and the log-in, as in a Redis URL. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly isTls: boolean;
  /** The socket in the file system that leads to it, instead of host and port. */
  readonly path?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

const DEFAULT_PORT = 6379;

/** Both prefixes are in use: node-redis and redis-py know the second, others only the first. */
const SOCKET_URL = /^(?:redis\+)?unix:/i;
/** No URL of the standard: it has a user and no host. */
const SOCKET = /^[^:]+:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\/[^?#]+)(?:\?db=(\d+))?$/;

/**
 * Reads `redis://[[user]:password@]host[:port][/db]`, `rediss://` for TLS, or `redis+unix://[[user]:password@]/path[?db=n]`,
 * also written `unix://`. Errors never contain the URL, because it may hold a password.
 * @throws ConfigError
 */
export function parseRedisUrl(text: string): Endpoint {
  if (SOCKET_URL.test(text)) return parseSocketUrl(text);
  const url = parse(text);
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw new ConfigError(
      `a Redis URL begins with redis://, rediss:// or redis+unix://, not ${url.protocol}//`,
    );
  }
  // The parameters are not quoted: after an unescaped "?" or "#" in a password they are the rest of it.
  if (url.search !== '' || url.hash !== '')
    throw new ConfigError(
      'a Redis URL takes no parameters; in a password "?" is written %3F, and "#" %23',
    );
  // A host is never decoded, and addresses are shown: this may be a password whose "@" was encoded too.
  if (url.hostname.includes('%'))
    throw new ConfigError(
      'the host in a Redis URL has no "%" in it; the "@" in front of it is not percent-encoded',
    );
  return {
    host: url.hostname.replace(/^\[|\]$/g, '') || 'localhost',
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    db: database(url.pathname),
    isTls: url.protocol === 'rediss:',
    username: credential(url.username),
    password: credential(url.password),
  };
}

function parseSocketUrl(text: string): Endpoint {
  const [, username = '', password = '', path = '', db = ''] = SOCKET.exec(text) ?? [];
  if (path === '')
    throw new ConfigError(
      'the URL of a socket looks like redis+unix://user:password@/path/redis.sock?db=2; in a password "/" is written %2F',
    );
  return {
    host: 'localhost',
    port: DEFAULT_PORT,
    db: Number(db),
    isTls: false,
    path: decoded(path, 'path'),
    username: credential(username),
    password: credential(password),
  };
}

/** Returns the address for people: no credentials, the database only if it is not the first. */
export function addressOf(endpoint: {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly path?: string | undefined;
}): string {
  if (endpoint.path !== undefined) {
    // A list of addresses is separated by blanks.
    const path = endpoint.path.replaceAll(' ', '%20');
    return endpoint.db === 0 ? path : `${path}?db=${endpoint.db}`;
  }
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host;
  return `${host}:${endpoint.port}${endpoint.db === 0 ? '' : `/${endpoint.db}`}`;
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The error of `new URL` carries its input, so it is not passed on as the cause.
    throw new ConfigError('not a URL; a Redis URL looks like redis://localhost:6379');
  }
}

function database(pathname: string): number {
  const text = pathname.replace(/^\//, '');
  if (!/^\d*$/.test(text)) {
    throw new ConfigError('the path of a Redis URL is the number of a database, such as /2');
  }
  return Number(text);
}

function credential(encoded: string): string | undefined {
  return encoded === '' ? undefined : decoded(encoded, 'user or password');
}

function decoded(encoded: string, what: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new ConfigError(`the ${what} in the Redis URL is not percent-encoded correctly`);
  }
}
