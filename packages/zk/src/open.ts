import { ConfigError, InvalidOptionError, LockError } from '@holdfast/core';
import {
  type Backend,
  checkNamespace,
  type Host,
  TTL_MS_DEFAULT,
  TTL_MS_MAX,
  TTL_MS_MIN,
} from '@holdfast/core/backend';
import type { TlsOptions } from '@holdfast/zk-client';
import { Zk } from './backend.ts';
import { failureOf, messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { checkLocksAt, layoutOf } from './keys.ts';
import type { Acl, Content, OpenSession, ZooKeeperSession } from './port.ts';
import { ensureRoots, isReplyCode } from './roots.ts';
import { Sessions } from './sessions.ts';
import { CrowdPacer, foreignNodeWarner, type Store } from './store.ts';

/** Options of {@link openZk}. Set exactly one of `servers` and `open`. */
export interface ZkOptions {
  /** `host:port` of each server of one ensemble. */
  readonly servers?: readonly string[] | undefined;
  /** Opens sessions in another way: by another client, or in the simulator. The backend closes them. */
  readonly open?: OpenSession | undefined;
  /** With `servers`: the node below which all paths are. It must exist. */
  readonly chroot?: string | undefined;
  /**
   * The requested session timeout T in ms: a crashed holder blocks others for so long. The servers have bounds, and the
   * value that they grant counts. Keep it above `syncLimit × tickTime` of the servers. With `open` it is only compared with
   * the value that was granted. Default 30 000.
   */
  readonly sessionTimeoutMs?: number | undefined;
  /** With `servers`: a digest user, which then owns all nodes. No other user can change a lock. */
  readonly auth?: { readonly user: string; readonly password: string } | undefined;
  /** With `servers`: uses TLS with these options of `tls.connect`. */
  readonly tls?: TlsOptions | undefined;
  /** The first part of every path; default `holdfast`. Namespaces share no locks. */
  readonly namespace?: string | undefined;
  /**
   * The node below which each key has its container, such as `/locks` for `/locks/orders`: where Apache Curator's
   * `InterProcessMutex` or kazoo's `Lock` keep theirs, so that both exclude each other. Default: in the namespace.
   */
  readonly locksAt?: string | undefined;
  /** The clients that may change the nodes. Default: `creator` with `auth`, else `anybody`. */
  readonly acl?: 'anybody' | 'creator' | undefined;
}

/** The time that one opening of a session may take. Opening the backend waits for the first. */
const OPEN_MS = 5_000;
const CREATOR_ONLY: readonly Acl[] = [
  { who: 'creator', may: ['read', 'write', 'create', 'delete', 'admin'] },
];

/**
 * Opens locks that are queues of ephemeral nodes in ZooKeeper
 * (https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks). Their leases stay exclusive also when a server is
 * cut from its leader. Opening succeeds without reachable servers: a service may start before them, and every attempt
 * reports it.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const servers = ['zk1:2181', 'zk2:2181', 'zk3:2181'];
 * const locks = createLocks(await openZk({ servers, sessionTimeoutMs: 10_000 }, host), host);
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the ensemble cannot keep locks
 */
export async function openZk(options: ZkOptions, host: Host): Promise<Backend> {
  const { namespace = 'holdfast', sessionTimeoutMs, auth, acl, locksAt } = options;
  checkNamespace(namespace, NAME);
  checkLocksAt(locksAt, namespace);
  checkTimeout(sessionTimeoutMs);
  const isOwn = acl === 'creator' || (acl === undefined && auth !== undefined);
  const store: Store = {
    host,
    layout: layoutOf(namespace, locksAt),
    acl: isOwn ? CREATOR_ONLY : undefined,
    pacer: new CrowdPacer(host.runtime),
    warnForeignNodes: foreignNodeWarner(host),
  };
  const open = await sessionOpener(options, host);
  const sessions = new Sessions(store, { open, openMs: OPEN_MS, requestedMs: sessionTimeoutMs });
  await openFirstSession(sessions, store);
  return new Zk(store, sessions);
}

async function sessionOpener(options: ZkOptions, host: Host): Promise<OpenSession> {
  const { servers, open, chroot, auth, tls, sessionTimeoutMs = TTL_MS_DEFAULT } = options;
  if ((servers === undefined) === (open === undefined)) {
    throw configError('set either servers or open, not both');
  }
  if (open !== undefined) return open;
  const { openSocketSessions } = await import('./adapters/sockets.ts');
  return openSocketSessions(
    { servers: servers ?? [], chroot, auth, tls, sessionTimeoutMs },
    host.runtime,
  );
}

/** Opens the first session, and checks that the ensemble can keep locks. */
async function openFirstSession(sessions: Sessions, store: Store): Promise<void> {
  const { host, layout } = store;
  try {
    const { session } = await sessions.start();
    await ensureRootsReadable(session, store);
  } catch (cause) {
    const failure = failureOf(cause, '');
    if (failure.kind === 'refused') {
      await sessions.close({ timeoutMs: 0 });
      throw cause instanceof LockError ? cause : refusedAt(layout.locks, cause);
    }
    const message = `${NAME}: the ensemble could not be reached yet: ${messageOf(cause)}`;
    host.emit({ type: 'warning', backend: NAME, code: 'unchecked-ensemble', message, cause });
  }
}

/** Reads before it creates: mostly the nodes exist, and even a creation that fails is a transaction that all servers log. */
async function ensureRootsReadable(
  session: ZooKeeperSession,
  { layout, acl }: Store,
): Promise<void> {
  // Refused if another user owns the nodes. Credentials alone are never wrong: any user and password are a user.
  const readRoot = (): Promise<Content> => session.read(layout.locks);
  try {
    await readRoot();
  } catch (cause) {
    if (!isReplyCode(cause, 'NONODE')) throw cause;
    await ensureRoots(session, layout.roots, acl);
    await readRoot();
  }
}

function refusedAt(path: string, cause: unknown): ConfigError {
  if (isReplyCode(cause, 'UNIMPLEMENTED')) {
    const needs = 'these locks need ZooKeeper 3.5.3 or later';
    return configError(
      `locks cannot be kept on these servers: ${needs} (${messageOf(cause)})`,
      cause,
    );
  }
  return configError(`locks cannot be kept under ${path}: ${messageOf(cause)}`, cause);
}

function checkTimeout(ms: number | undefined): void {
  if (ms === undefined) return;
  if (Number.isInteger(ms) && ms >= TTL_MS_MIN && ms <= TTL_MS_MAX) return;
  const range = `a whole number of ms from ${TTL_MS_MIN} to ${TTL_MS_MAX}`;
  throw new InvalidOptionError(`${NAME}: sessionTimeoutMs must be ${range}, not ${ms}`, {
    backend: NAME,
  });
}

function configError(why: string, cause?: unknown): ConfigError {
  return new ConfigError(`${NAME}: ${why}`, { backend: NAME, cause });
}
