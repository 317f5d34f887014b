import type { Inspection, Release } from '@holdfast/core';
import {
  expectReply,
  FOREIGN_REASONS,
  foreignKeyError,
  isDoubt,
  isValue,
  isZeroOrOne,
  operatorCallOptions,
  operatorError,
  storedKeyPages,
} from '@holdfast/redis';
import { NAME } from './identity.ts';
import { isExpired, parseStamp } from './stamp.ts';
import { command, LOCK, type Store, type StoredKey } from './store.ts';

/** Returns what is stored under a key, by our own wall clock. @throws BackendUnavailableError, LockError */
export async function inspect(store: Store, storedKey: StoredKey): Promise<Inspection> {
  const { key } = storedKey;
  const { wallMs } = store.host.runtime.now();
  const stamp = await storedHold(store, storedKey);
  if (stamp === undefined || isExpired(stamp, wallMs)) return { key, held: false };
  return { key, held: true, owner: `${stamp}`, remainingMs: stamp + 1 - wallMs };
}

/** Deletes a lock that has not expired, of any holder. @throws BackendUnavailableError, LockError */
export async function forceRelease(store: Store, storedKey: StoredKey): Promise<Release> {
  const { key, lock } = storedKey;
  const { wallMs } = store.host.runtime.now();
  const stamp = await storedHold(store, storedKey);
  // An expired stamp may be taken over at this very moment: a DEL could delete the next holder's.
  if (stamp === undefined || isExpired(stamp, wallMs)) return { kind: 'not-held' };
  const { deadlineMs } = operatorCallOptions(store.host);
  try {
    const reply = await command(store, key, ['DEL', lock], deadlineMs);
    return { kind: expectReply('DEL', reply, isZeroOrOne) === 1 ? 'released' : 'not-held' };
  } catch (cause) {
    if (isDoubt(cause)) return { kind: 'unknown', cause };
    throw operatorError(cause, { backend: NAME, key });
  }
}

/** Lists the keys that have a stamp, also one that has expired. @throws BackendUnavailableError, LockError */
export async function* heldKeys(
  { node, host }: Store,
  namespace: string,
): AsyncGenerator<readonly string[]> {
  try {
    yield* storedKeyPages(node, { host, namespace, suffix: LOCK });
  } catch (cause) {
    throw operatorError(cause, { backend: NAME, key: '' });
  }
}

async function storedHold(store: Store, { key, lock }: StoredKey): Promise<number | undefined> {
  const context = { backend: NAME, key };
  const { deadlineMs } = operatorCallOptions(store.host);
  let value: string | null;
  try {
    value = expectReply('GET', await command(store, key, ['GET', lock], deadlineMs), isValue);
  } catch (cause) {
    throw operatorError(cause, context);
  }
  if (value === null) return undefined;
  const stamp = parseStamp(value);
  if (stamp === undefined) throw foreignKeyError(FOREIGN_REASONS.notALock, context);
  return stamp;
}
