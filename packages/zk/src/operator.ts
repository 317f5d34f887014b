import {
  callDeadlineMs,
  type Health,
  type Inspection,
  parseOwner,
  type Release,
} from '@holdfast/core/backend';
import { type Deadline, within } from './deadline.ts';
import { messageOf, operatorError } from './failures.ts';
import { containerOf, decodeName } from './keys.ts';
import { tokenOfReaders } from './modes/reader-token.ts';
import { wakeFirstWaiter } from './modes/wake-up.ts';
import { SessionDoubt, type ZooKeeperSession } from './port.ts';
import { holdersAhead, type Queue, queueOf } from './queue.ts';
import { isReplyCode } from './roots.ts';
import type { Sessions } from './sessions.ts';
import type { Store } from './store.ts';

/**
 * Returns the holder of a key, and the number of waiters.
 * @throws BackendUnavailableError, LockError if this user may not read the key
 */
export async function inspect(store: Store, sessions: Sessions, key: string): Promise<Inspection> {
  try {
    return await withSession(store, sessions, async (session, deadline) => {
      const container = containerOf(store.layout, key);
      const queue = await deadline.limit(syncedQueue(session, container));
      const [holder] = queue.nodes;
      if (holder === undefined) return { key, held: false };
      const { data, stat } = await deadline.limit(session.read(`${container}/${holder.name}`));
      const label = parseOwner(data)?.label;
      const waiters = queue.nodes.length - holdersAhead(queue);
      const held = { key, held: true, owner: data, holder: label, waiters } as const;
      if (holder.mode?.kind === 'permits') return held;
      if (holder.mode === undefined) return { ...held, fencingToken: stat.czxid };
      const record = await deadline.limit(session.read(container));
      return { ...held, fencingToken: tokenOfReaders(record.data) };
    });
  } catch (cause) {
    // The key was never requested, or was released between the listing and the read.
    if (isReplyCode(cause, 'NONODE')) return { key, held: false };
    throw operatorError(cause, key);
  }
}

/**
 * Removes all holders of a key, of which readers and holders of permits may be many; never a foreign node.
 * @throws BackendUnavailableError if nothing was done, LockError if this user may not do it
 */
export async function forceRelease(
  store: Store,
  sessions: Sessions,
  key: string,
): Promise<Release> {
  let isSent = false;
  try {
    return await withSession(store, sessions, async (session, deadline) => {
      const container = containerOf(store.layout, key);
      const queue = await deadline.limit(syncedQueue(session, container));
      const holders = queue.nodes.slice(0, holdersAhead(queue));
      if (holders.length === 0) return { kind: 'not-held' };
      isSent = true;
      const removals = holders.map(({ name }) => session.delete(`${container}/${name}`));
      const isRemoved = await deadline.limit(Promise.all(removals.map(goneBefore)));
      if (queue.modes !== undefined) void wakeFirstWaiter(session, container);
      return { kind: isRemoved.includes(true) ? 'released' : 'not-held' };
    });
  } catch (cause) {
    if (isReplyCode(cause, 'NONODE')) return { kind: 'not-held' };
    if (isSent && cause instanceof SessionDoubt) return { kind: 'unknown', cause };
    throw operatorError(cause, key);
  }
}

/** Containers that are looked into at once. */
const PAGE = 200;

/** Lists the keys that have a contender, the first of which holds. @throws BackendUnavailableError, LockError */
export async function* heldKeys(
  store: Store,
  sessions: Sessions,
): AsyncGenerator<readonly string[]> {
  const { locks } = store.layout;
  try {
    const names = await withSession(store, sessions, async (session, deadline) => {
      await deadline.limit(session.sync(locks));
      return (await deadline.limit(session.list(locks))).children;
    });
    for (let at = 0; at < names.length; at += PAGE)
      yield await withSession(store, sessions, async (session, deadline) => {
        const held = names.slice(at, at + PAGE).map(async (name) => {
          const { children } = await session.list(`${locks}/${name}`);
          const key = decodeName(name);
          return key !== undefined && queueOf(children).nodes.length > 0 ? [key] : [];
        });
        return (await deadline.limit(Promise.all(held.map(emptyIfGone)))).flat();
      });
  } catch (cause) {
    throw operatorError(cause, '');
  }
}

/** The servers remove a container some time after its last child. */
async function emptyIfGone(listing: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await listing;
  } catch (cause) {
    if (isReplyCode(cause, 'NONODE')) return [];
    throw cause;
  }
}

/** Healthy if the server of this session reaches its leader. */
export async function health(store: Store, sessions: Sessions): Promise<Health> {
  const { runtime } = store.host;
  const from = runtime.now();
  const node = sessions.current?.session.address ?? 'ensemble';
  try {
    await withSession(store, sessions, (session, deadline) =>
      deadline.limit(session.sync(store.layout.locks)),
    );
    return { ok: true, nodes: [{ node, ok: true, roundTripMs: runtime.elapsedMs(from) }] };
  } catch (cause) {
    return { ok: false, nodes: [{ node, ok: false, detail: messageOf(cause) }] };
  }
}

/** The contenders in order of arrival, as the leader has them now. */
async function syncedQueue(session: ZooKeeperSession, container: string): Promise<Queue> {
  await session.sync(container);
  return queueOf((await session.list(container)).children);
}

/** True if this request removed the node; false if it was gone. */
async function goneBefore(removal: Promise<unknown>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (cause) {
    if (isReplyCode(cause, 'NONODE')) return false;
    throw cause;
  }
}

/** Runs `work` with the session, within the deadline of one call. */
function withSession<T>(
  { host }: Store,
  sessions: Sessions,
  work: (session: ZooKeeperSession, deadline: Deadline) => Promise<T>,
): Promise<T> {
  return within(host.runtime, callDeadlineMs(undefined), async (deadline) => {
    const { session } = await sessions.connected(deadline);
    return await work(session, deadline);
  });
}
