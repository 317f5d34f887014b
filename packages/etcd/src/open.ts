import { ConfigError } from '@holdfast/core';
import { type Backend, callDeadlineMs, checkNamespace, type Host } from '@holdfast/core/backend';
import { Etcd } from './backend.ts';
import { failureOf, messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { layoutOf } from './keys.ts';
import { LeaseRevoker } from './lease-revoker.ts';
import type { EtcdClient } from './port.ts';
import { RequestWindow } from './request-window.ts';
import { Requests } from './requests.ts';
import type { Store } from './store.ts';
import { warnOldServers } from './versions.ts';

/** Options of {@link openEtcd}. Set exactly one of `servers` and `client`. */
export interface EtcdOptions {
  /** `host:port` of each server of one cluster. */
  readonly servers?: readonly string[] | undefined;
  /** Uses another client, or the simulator. The backend closes it. */
  readonly client?: EtcdClient | undefined;
  /** With `servers`: a user of etcd, whose role needs `readwrite` on the prefix `‹namespace›/v1/`. */
  readonly auth?: { readonly user: string; readonly password: string } | undefined;
  /**
   * With `servers`: uses TLS with these options of `tls.createSecureContext`, and `servername` and `rejectUnauthorized` of
   * `tls.connect`.
   */
  readonly tls?: object | undefined;
  /** The first part of every key; default `holdfast`. Namespaces share no locks. */
  readonly namespace?: string | undefined;
}

/**
 * Opens locks that are queues of keys with leases in etcd, as etcd's own clients have them. `etcdctl lock` joins the same
 * queues. Opening succeeds without reachable servers: a service may start before them, and every attempt reports it.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const servers = ['etcd1:2379', 'etcd2:2379', 'etcd3:2379'];
 * const locks = createLocks(await openEtcd({ servers }, host), host, { ttlMs: 10_000 });
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the servers refused the credentials
 */
export async function openEtcd(options: EtcdOptions, host: Host): Promise<Backend> {
  const { namespace = 'holdfast' } = options;
  checkNamespace(namespace, NAME);
  const client = await clientOf(options, host);
  const requests = new Requests(client);
  const store: Store = {
    host,
    layout: layoutOf(namespace),
    client,
    requests,
    window: new RequestWindow(host.runtime),
    revoker: new LeaseRevoker(requests, host.runtime),
    warnLongerTtl: longerTtlWarner(host),
  };
  await checkServers(store);
  return new Etcd(store);
}

async function clientOf(
  { servers, client, auth, tls }: EtcdOptions,
  { runtime }: Host,
): Promise<EtcdClient> {
  if ((servers === undefined) === (client === undefined)) {
    throw configError('set either servers or client, not both');
  }
  if (client !== undefined) return client;
  if (servers === undefined || servers.length === 0) throw configError('name at least one server');
  const { openGrpcClient } = await import('./adapters/grpc.ts');
  return await openGrpcClient({ servers, auth, tls }, runtime);
}

/** Reads once, so that wrong credentials are found at the start; asks for the versions meanwhile. */
async function checkServers({ host, layout, requests, client }: Store): Promise<void> {
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(undefined);
  const status = client.status(deadlineMs);
  try {
    await requests.range({ kind: 'read', key: layout.locks, limit: 1 }, deadlineMs);
  } catch (cause) {
    const failure = failureOf(cause, layout.locks);
    if (failure.kind === 'refused') {
      client.close();
      throw configError(`locks cannot be kept below ${layout.locks}: ${messageOf(cause)}`, cause);
    }
    const message = `${NAME}: the servers could not be reached yet: ${messageOf(cause)}`;
    host.emit({ type: 'warning', backend: NAME, code: 'unchecked-servers', message, cause });
  }
  warnOldServers(host, await status);
}

/** Ttls of which single warnings are of use. */
const WARNINGS_MAX = 100;

function longerTtlWarner(host: Host): Store['warnLongerTtl'] {
  const warned = new Set<number>();
  return (requestedMs, grantedMs) => {
    if (warned.has(requestedMs) || warned.size === WARNINGS_MAX) return;
    warned.add(requestedMs);
    const message = `${NAME}: a ttl of ${requestedMs} ms was requested, and the servers grant ${grantedMs} ms: a crashed holder blocks others for that long`;
    host.emit({ type: 'warning', backend: NAME, code: 'longer-ttl', message });
  };
}

function configError(why: string, cause?: unknown): ConfigError {
  return new ConfigError(`${NAME}: ${why}`, { backend: NAME, cause });
}
