import type { EtcdOptions } from '@holdfast/etcd';
import * as v from 'valibot';
import { defaults, fencingEpoch, name, text } from '../config/fields.ts';
import type { FencingOptions, LockDefaults } from '../config/types.ts';
import type { BackendRecord } from './record.ts';

/** An etcd cluster. */
export interface EtcdConfig extends LockDefaults, FencingOptions {
  readonly backend: 'etcd';
  /** `etcd://[user:password@]host[:port][,…]`. */
  readonly url: string;
  /**
   * Connect over TLS, with these options of `tls.createSecureContext`, for example `{ ca }`, and `servername` and
   * `rejectUnauthorized` of `tls.connect`.
   */
  readonly tls?: object | undefined;
  /** The first part of every key; default `holdfast`. Locks of two namespaces never exclude each other. */
  readonly namespace?: string | undefined;
}

export const etcd: BackendRecord<EtcdConfig> = {
  name: 'etcd',
  schemes: { etcd: { shown: 'etcd://', config: (url) => ({ backend: 'etcd', url }) } },
  schema: v.strictObject({
    backend: name('etcd', 'An etcd cluster.'),
    url: v.pipe(
      v.string('must be a string'),
      v.check(
        (url) => urlError(url) === undefined,
        ({ input }) => urlError(input) ?? '',
      ),
      v.description('etcd://user:password@host1:2379,host2:2379'),
    ),
    tls: v.optional(
      v.pipe(
        v.looseObject({}, 'must be an object'),
        v.description(
          'Connect over TLS, with these options of tls.createSecureContext, for example { "ca": "…" }.',
        ),
      ),
    ),
    namespace: text(
      'The first part of every key; default "holdfast". Locks of two namespaces never exclude each other.',
    ),
    fencingEpoch,
    ...defaults,
  }),
  load: async () => {
    const { capabilities, openEtcd } = await import('@holdfast/etcd');
    return { capabilities, open: (config, host) => openEtcd(optionsOf(config), host) };
  },
};

function optionsOf({ url, tls, namespace }: EtcdConfig): EtcdOptions {
  return { ...parseEtcdUrl(url), tls, namespace };
}

/** The rule that the URL breaks; undefined if it is correct. */
function urlError(url: string): string | undefined {
  try {
    parseEtcdUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof EtcdUrlError) return error.message;
    throw error;
  }
}

/** The parts of an `etcd://` URL. */
type EtcdTarget = Required<Pick<EtcdOptions, 'servers' | 'auth'>>;

/** The rule that a URL breaks; its message completes "url …". */
class EtcdUrlError extends Error {
  override readonly name = 'EtcdUrlError';
}

const PORT = 2379;
/** A password may contain `@`. */
const PARTS = /^etcd:\/\/(?:([^/?]*)@)?([^/?@]*)\/?(?:\?(.*))?$/is;
/** Hosts are not decoded, and addresses are shown. So `%` is rejected: it is from credentials whose `@` was encoded, too. */
const SERVER = /^(\[[\da-f:.]+\]|[^\s:[\]%]+)(?::(\d+))?$/i;

/**
 * `etcd://[user:password@]host[:port][,host[:port]…]`; a user or password with `:`, `/`, `?`, `@` or `%` must be
 * percent-encoded.
 * @throws EtcdUrlError, which quotes no part of the URL
 */
export function parseEtcdUrl(url: string): EtcdTarget {
  const parts = PARTS.exec(url);
  if (parts === null) throw new EtcdUrlError('must be a URL such as etcd://host1:2379,host2:2379');
  const [, credentials, servers = '', query] = parts;
  if (query !== undefined)
    throw new EtcdUrlError('may have no parameter except options such as ttlMs');
  return {
    servers: servers.split(',').map(serverIn),
    auth: credentials === undefined ? undefined : authIn(credentials),
  };
}

function serverIn(part: string): string {
  const [, host, port = `${PORT}`] = SERVER.exec(part) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new EtcdUrlError('must name every server as host or host:port, separated by commas');
  }
  return `${host}:${port}`;
}

function authIn(credentials: string): EtcdTarget['auth'] {
  const colon = credentials.indexOf(':');
  if (colon < 1) throw new EtcdUrlError('must have credentials of the form user:password');
  return {
    user: decoded(credentials.slice(0, colon)),
    password: decoded(credentials.slice(colon + 1)),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new EtcdUrlError('must be percent-encoded: a "%" itself is written "%25"');
  }
}
