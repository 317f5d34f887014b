import { type Host, TTL_MS_MAX, TTL_MS_MIN } from '@holdfast/core/backend';
import type { ZkOptions } from '@holdfast/zk';
import * as v from 'valibot';
import { defaults, fencingEpoch, name, text } from '../config/fields.ts';
import type { FencingOptions, LockDefaults, NamedConfig } from '../config/types.ts';
import type { BackendRecord, Reject } from './record.ts';

/** A ZooKeeper ensemble; `ttlMs` is the requested session timeout. */
export interface ZkConfig extends LockDefaults, FencingOptions {
  readonly backend: 'zk';
  /** `zk://[user:password@]host[:port][,…][/chroot][?sessionTimeout=ms]`; user and password for the scheme `digest`. */
  readonly url: string;
  /** The client library: `zk-client` of Holdfast, the default, or `zookeeper` of npm, if it is installed. */
  readonly client?: 'zk-client' | 'zookeeper' | undefined;
  /** Connect over TLS, with these options of `tls.connect`, for example `{ ca }`. Only with `zk-client`. */
  readonly tls?: object | undefined;
  /**
   * The node under which everything is stored; default `holdfast`. Locks of two namespaces never exclude each other.
   */
  readonly namespace?: string | undefined;
  /**
   * The node below which each key has its container, such as `/locks` for `/locks/orders`: where Curator's
   * `InterProcessMutex` or kazoo's `Lock` keep theirs, so that both exclude each other. Default: in the namespace.
   */
  readonly locksAt?: string | undefined;
}

const MEANING_OF_URL =
  'zk://user:password@host1:2181,host2:2181/chroot?sessionTimeout=10000; user and password for digest authentication.';

export const zk: BackendRecord<ZkConfig> = {
  name: 'zk',
  schemes: { zk: { shown: 'zk://', config: (url) => ({ backend: 'zk', url }) } },
  schema: v.strictObject({
    backend: name('zk', 'A ZooKeeper ensemble.'),
    url: v.pipe(
      v.string('must be a string'),
      v.check(
        (url) => urlError(url) === undefined,
        ({ input }) => urlError(input) ?? '',
      ),
      v.description(MEANING_OF_URL),
    ),
    client: v.optional(
      v.pipe(
        v.picklist(['zk-client', 'zookeeper'], 'must be "zk-client" or "zookeeper"'),
        v.description(
          'The client library: zk-client of Holdfast, the default, or npm zookeeper, if it is installed.',
        ),
      ),
    ),
    tls: v.optional(
      v.pipe(
        v.looseObject({}, 'must be an object'),
        v.description(
          'Connect over TLS, with these options of tls.connect, for example { "ca": "…" }.',
        ),
      ),
    ),
    namespace: text(
      'The node under which everything is stored; default "holdfast". Locks of two namespaces never exclude each other.',
    ),
    locksAt: text(
      'The node below which each key has its container, such as "/locks" for /locks/orders: shared with Apache Curator\'s InterProcessMutex or kazoo\'s Lock. Default: in the namespace.',
    ),
    fencingEpoch,
    ...defaults,
  }),
  check,
  load: async () => {
    const { capabilities, nativeSessions, openZk } = await import('@holdfast/zk');
    const optionsOf = (config: ZkConfig, { runtime }: Host): ZkOptions => {
      const { url, client, tls, namespace, locksAt, ttlMs } = config;
      const { servers, chroot, auth, sessionTimeoutMs: timeoutInUrl } = parseZkUrl(url);
      const sessionTimeoutMs = ttlMs ?? timeoutInUrl;
      if (client !== 'zookeeper')
        return { servers, chroot, auth, tls, sessionTimeoutMs, namespace, locksAt };
      const open = nativeSessions({ servers, chroot, sessionTimeoutMs }, runtime);
      return { open, sessionTimeoutMs, namespace, locksAt };
    };
    return { capabilities, open: (config, host) => openZk(optionsOf(config, host), host) };
  },
};

/** True by name alone, since the configuration has been checked. */
export function isZk(config: NamedConfig): config is ZkConfig {
  return config.backend === zk.name;
}

/** The rule that the URL breaks; undefined if it is correct. */
function urlError(url: string): string | undefined {
  try {
    parseZkUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof ZkUrlError) return error.message;
    throw error;
  }
}

function check({ url, ttlMs, client, tls }: ZkConfig, reject: Reject): void {
  const { auth, sessionTimeoutMs } = parseZkUrl(url);
  if (sessionTimeoutMs !== undefined && ttlMs !== undefined)
    reject('"ttlMs" and the sessionTimeout of "url" set one value; give only one of them.');
  if (client !== 'zookeeper') return;
  if (auth !== undefined)
    reject('npm zookeeper cannot protect nodes by credentials; use "zk-client".');
  if (tls !== undefined)
    reject('"tls" is for "zk-client" only; npm zookeeper does not support it.');
}

/** The parts of a `zk://` URL. */
interface ZkTarget {
  /** `host:port` of each server. */
  readonly servers: readonly string[];
  /** The root of the tree, with a leading slash; undefined for the whole tree. */
  readonly chroot: string | undefined;
  /** Credentials of the scheme `digest`. */
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  /** From the parameter `sessionTimeout`. */
  readonly sessionTimeoutMs: number | undefined;
}

/** The rule that a URL breaks; its message completes "url …". */
export class ZkUrlError extends Error {
  override readonly name = 'ZkUrlError';
}

const PORT = 2181;
/**
 * A password may contain `@`, a chroot may not: otherwise the rest of a password with an unescaped `/` would match as
 * one.
 */
const PARTS = /^zk:\/\/(?:([^/?]*)@)?([^/?@]*)(\/[^?@]*)?(?:\?(.*))?$/is;
/**
 * Hosts are not decoded, and addresses are shown. So `%` is rejected: it is from credentials whose `@` was encoded,
 * too.
 */
const SERVER = /^(\[[\da-f:.]+\]|[^\s:[\]%]+)(?::(\d+))?$/i;

/**
 * `zk://[user:password@]host[:port][,host[:port]…][/chroot][?sessionTimeout=ms]`; a user,
 * password or chroot with `:`, `/`, `?`, `@` or `%` must be percent-encoded.
 * @throws ZkUrlError, which quotes no part of the URL
 */
export function parseZkUrl(url: string): ZkTarget {
  const parts = PARTS.exec(url);
  if (parts === null)
    throw new ZkUrlError('must be a URL such as zk://host1:2181,host2:2181/chroot');
  const [, credentials, servers = '', path, query] = parts;
  return {
    servers: servers.split(',').map(serverIn),
    chroot: chrootIn(path),
    auth: credentials === undefined ? undefined : authIn(credentials),
    sessionTimeoutMs: query === undefined ? undefined : sessionTimeoutIn(query),
  };
}

function serverIn(part: string): string {
  const [, host, port = `${PORT}`] = SERVER.exec(part) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new ZkUrlError('must name every server as host or host:port, separated by commas');
  }
  return `${host}:${port}`;
}

function chrootIn(path: string | undefined): string | undefined {
  if (path === undefined || path === '/') return undefined;
  const names = path.slice(1).split('/').map(decoded);
  if (names.some((each) => each.includes('/') || ['', '.', '..'].includes(each))) {
    throw new ZkUrlError(
      'must have a chroot such as /locks/orders, without empty names, "." or ".."',
    );
  }
  return `/${names.join('/')}`;
}

function authIn(credentials: string): ZkTarget['auth'] {
  const colon = credentials.indexOf(':');
  if (colon < 1) throw new ZkUrlError('must have credentials of the form user:password');
  const user = decoded(credentials.slice(0, colon));
  if (user.includes(':')) throw new ZkUrlError('must have a user without ":"');
  return { user, password: decoded(credentials.slice(colon + 1)) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ZkUrlError('must be percent-encoded: a "%" itself is written "%25"');
  }
}

function sessionTimeoutIn(query: string): number {
  const [, digits] = /^sessionTimeout=(\d{1,9})$/.exec(query) ?? [];
  const ms = Number(digits);
  if (ms >= TTL_MS_MIN && ms <= TTL_MS_MAX) return ms;
  const rule = `sessionTimeout=, a whole number of ms from ${TTL_MS_MIN} to ${TTL_MS_MAX}`;
  throw new ZkUrlError(`may have no parameter except ${rule}, and options such as ttlMs`);
}
