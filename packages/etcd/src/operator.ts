import {
  callDeadlineMs,
  type Health,
  type Inspection,
  parseOwner,
  type Release,
} from '@holdfast/core/backend';
import { messageOf, operatorError } from './failures.ts';
import { endOf, lockIn, prefixOf } from './keys.ts';
import { ringFirst } from './modes/bells.ts';
import { modeIn, modesOf } from './modes/mode-position.ts';
import { EtcdDoubt, type RangeReply, type StoredKey } from './port.ts';
import type { Store } from './store.ts';

/**
 * Returns the holder of a key, and the number of waiters.
 * @throws BackendUnavailableError, LockError if this user may not read the key
 */
export async function inspect(store: Store, key: string): Promise<Inspection> {
  try {
    const [{ keys: first }, queue] = await Promise.all([firstOf(store, key), queueOf(store, key)]);
    const [holder] = first;
    if (holder === undefined) return { key, held: false };
    const { value: owner, createRevision } = holder;
    const waiters = queue.length - modesOf(queue).holders;
    const held = { key, held: true, owner, holder: parseOwner(owner)?.label, waiters } as const;
    return modeIn(holder.key) === undefined ? { ...held, fencingToken: createRevision } : held;
  } catch (cause) {
    throw operatorError(cause, key);
  }
}

/**
 * Removes all holders of a key, of which readers and holders of permits may be many; never a key without a lease.
 * @throws BackendUnavailableError if nothing was done, LockError if this user may not do it
 */
export async function forceRelease(store: Store, key: string): Promise<Release> {
  let isSent = false;
  try {
    const queue = await queueOf(store, key);
    const holders = queue.slice(0, modesOf(queue).holders).filter(({ lease }) => lease !== 0n);
    if (holders.length === 0) return { kind: 'not-held' };
    isSent = true;
    const removals = holders.map((holder) =>
      store.requests.txn(
        {
          compare: [{ key: holder.key, target: 'create', revision: holder.createRevision }],
          success: [{ kind: 'delete', key: holder.key }, ringFirst(store, key)],
          failure: [],
        },
        deadlineOf(store),
      ),
    );
    const removed = await Promise.all(removals);
    return { kind: removed.some(({ succeeded }) => succeeded) ? 'released' : 'not-held' };
  } catch (cause) {
    if (isSent && cause instanceof EtcdDoubt) return { kind: 'unknown', cause };
    throw operatorError(cause, key);
  }
}

/** Contenders that one request lists. */
const PAGE = 1_000;

/** Lists the keys that have a contender, the first of which holds. @throws BackendUnavailableError, LockError */
export async function* heldKeys(store: Store): AsyncGenerator<readonly string[]> {
  const { locks } = store.layout;
  const end = endOf(locks);
  let from: string | undefined = locks;
  try {
    while (from !== undefined) {
      const { keys } = await store.requests.range(
        { kind: 'read', key: from, end, limit: PAGE, keysOnly: true },
        deadlineOf(store),
      );
      const held = keys.map(({ key }) => lockIn(store.layout, key));
      yield [...new Set(held.filter((key) => key !== undefined))];
      // The next key of all.
      from = keys.length < PAGE ? undefined : `${keys.at(-1)?.key}\0`;
    }
  } catch (cause) {
    throw operatorError(cause, '');
  }
}

/** Healthy if locks can be read with the consent of a quorum; each server says whether it knows a leader. */
export async function health(store: Store): Promise<Health> {
  const deadlineMs = deadlineOf(store);
  const { locks: key } = store.layout;
  const read = store.requests.range({ kind: 'read', key, limit: 1 }, deadlineMs).then(
    () => true,
    () => false,
  );
  const [ok, servers] = await Promise.all([read, store.client.status(deadlineMs)]);
  const nodes = servers.map(({ node, version, hasLeader, roundTripMs, cause }) => {
    if (version === undefined) return { node, ok: false, detail: messageOf(cause) };
    return hasLeader
      ? { node, ok: true, roundTripMs }
      : { node, ok: false, detail: 'it knows no leader' };
  });
  return { ok, nodes };
}

/** All contenders in order of arrival, without values. */
async function queueOf(store: Store, key: string): Promise<readonly StoredKey[]> {
  const prefix = prefixOf(store.layout, key);
  const { keys } = await store.requests.range(
    { kind: 'read', key: prefix, end: endOf(prefix), earliestFirst: true, keysOnly: true },
    deadlineOf(store),
  );
  return keys;
}

/** The first contender. */
function firstOf(store: Store, key: string): Promise<RangeReply> {
  const prefix = prefixOf(store.layout, key);
  return store.requests.range(
    { kind: 'read', key: prefix, end: endOf(prefix), earliestFirst: true, limit: 1 },
    deadlineOf(store),
  );
}

function deadlineOf({ host }: Store): number {
  return host.runtime.now().monotonicMs + callDeadlineMs(undefined);
}
