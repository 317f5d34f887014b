import { TTL_MS_MAX, TTL_MS_MIN } from '@holdfast/core';

/** What a `zk://` URL says. */
export interface ZkTarget {
  /** `host:port` of each server. */
  readonly servers: readonly string[];
  /** Where the tree begins, with a leading slash; undefined: the whole of it. */
  readonly chroot: string | undefined;
  /** For the scheme `digest`. */
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  /** From the parameter `sessionTimeout`. */
  readonly sessionTimeoutMs: number | undefined;
}

/** How it must be; completes "url …". */
export class ZkUrlError extends Error {
  override readonly name = 'ZkUrlError';
}

const PORT = 2181;
/** A password may hold `@`, a chroot may not: what is left of an unescaped `/` in a password would pass for one. */
const PARTS = /^zk:\/\/(?:([^/?]*)@)?([^/?@]*)(\/[^?@]*)?(?:\?(.*))?$/is;
/** Nothing decodes a host, and addresses are shown: `%` is from credentials whose "@" was encoded as well. */
const SERVER = /^(\[[\da-f:.]+\]|[^\s:[\]%]+)(?::(\d+))?$/i;

/**
 * `zk://[user:password@]host[:port][,host[:port]…][/chroot][?sessionTimeout=ms]`; percent-encoded where a
 * user, password or chroot holds `:`, `/`, `?`, `@` or `%`.
 * @throws ZkUrlError, which repeats nothing of the URL
 */
export function parseZkUrl(url: string): ZkTarget {
  const parts = PARTS.exec(url);
  if (parts === null)
    throw new ZkUrlError('must be a URL such as zk://host1:2181,host2:2181/chroot');
  const [, credentials, servers = '', path, query] = parts;
  return {
    servers: servers.split(',').map(server),
    chroot: chroot(path),
    auth: credentials === undefined ? undefined : auth(credentials),
    sessionTimeoutMs: query === undefined ? undefined : sessionTimeout(query),
  };
}

function server(text: string): string {
  const [, host, port = `${PORT}`] = SERVER.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new ZkUrlError('must name every server as host or host:port, separated by commas');
  }
  return `${host}:${port}`;
}

function chroot(path: string | undefined): string | undefined {
  if (path === undefined || path === '/') return undefined;
  const names = path.slice(1).split('/').map(decoded);
  if (names.some((name) => name.includes('/') || ['', '.', '..'].includes(name))) {
    throw new ZkUrlError(
      'must have a chroot such as /locks/orders, without empty names, "." or ".."',
    );
  }
  return `/${names.join('/')}`;
}

function auth(credentials: string): ZkTarget['auth'] {
  const colon = credentials.indexOf(':');
  if (colon < 1) throw new ZkUrlError('must have credentials of the form user:password');
  const user = decoded(credentials.slice(0, colon));
  if (user.includes(':')) throw new ZkUrlError('must have a user without ":"');
  return { user, password: decoded(credentials.slice(colon + 1)) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ZkUrlError('must be percent-encoded: a "%" itself is written "%25"');
  }
}

function sessionTimeout(query: string): number {
  const [, digits] = /^sessionTimeout=(\d{1,9})$/.exec(query) ?? [];
  const ms = Number(digits);
  if (ms >= TTL_MS_MIN && ms <= TTL_MS_MAX) return ms;
  const rule = `sessionTimeout=, a whole number of ms from ${TTL_MS_MIN} to ${TTL_MS_MAX}`;
  throw new ZkUrlError(`takes no parameter but ${rule}`);
}
