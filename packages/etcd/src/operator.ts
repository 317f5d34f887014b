import {
  callDeadlineMs,
  type Health,
  type Inspection,
  parseOwner,
  type Release,
} from '@holdfast/core/backend';
import { messageOf, operatorError } from './failures.ts';
import { endOf, lockIn, prefixOf } from './keys.ts';
import { EtcdDoubt, type RangeReply } from './port.ts';
import type { Store } from './store.ts';

/**
 * Returns the holder of a key, and the number of waiters.
 * @throws BackendUnavailableError, LockError if this user may not read the key
 */
export async function inspect(store: Store, key: string): Promise<Inspection> {
  try {
    const { keys, count } = await firstOf(store, key);
    const [holder] = keys;
    if (holder === undefined) return { key, held: false };
    const { value: owner, createRevision: fencingToken } = holder;
    const waiters = Number(count) - 1;
    return { key, held: true, owner, holder: parseOwner(owner)?.label, fencingToken, waiters };
  } catch (cause) {
    throw operatorError(cause, key);
  }
}

/**
 * Removes the first contender of a key, never a key without a lease, which is none.
 * @throws BackendUnavailableError if nothing was done, LockError if this user may not do it
 */
export async function forceRelease(store: Store, key: string): Promise<Release> {
  let isSent = false;
  try {
    const holder = (await firstOf(store, key)).keys[0];
    if (holder === undefined || holder.lease === 0n) return { kind: 'not-held' };
    isSent = true;
    const { succeeded } = await store.requests.txn(
      {
        compare: [{ key: holder.key, target: 'create', revision: holder.createRevision }],
        success: [{ kind: 'delete', key: holder.key }],
        failure: [],
      },
      deadlineOf(store),
    );
    return { kind: succeeded ? 'released' : 'not-held' };
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

/** The first contender, and the number of all. */
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
