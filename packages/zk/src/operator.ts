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
import { SessionDoubt, type ZooKeeperSession } from './port.ts';
import { queueOf } from './queue.ts';
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
      const [holder, ...waiting] = await deadline.limit(contenders(store, session, key));
      if (holder === undefined) return { key, held: false };
      const { data, stat } = await deadline.limit(session.read(holder));
      const label = parseOwner(data)?.label;
      const fencingToken = stat.czxid;
      return { key, held: true, owner: data, holder: label, fencingToken, waiters: waiting.length };
    });
  } catch (cause) {
    // The key was never requested, or was released between the listing and the read.
    if (isReplyCode(cause, 'NONODE')) return { key, held: false };
    throw operatorError(cause, key);
  }
}

/**
 * Removes the first contender of a key, never a foreign node.
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
      const [holder] = await deadline.limit(contenders(store, session, key));
      if (holder === undefined) return { kind: 'not-held' };
      isSent = true;
      await deadline.limit(session.delete(holder));
      return { kind: 'released' };
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

/** The paths of the contenders in order of arrival, as the leader has them now. */
async function contenders(
  { layout }: Store,
  session: ZooKeeperSession,
  key: string,
): Promise<readonly string[]> {
  const container = containerOf(layout, key);
  await session.sync(container);
  const { children } = await session.list(container);
  return queueOf(children).nodes.map(({ name }) => `${container}/${name}`);
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
