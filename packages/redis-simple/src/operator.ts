import { type Inspection, parseOwner, type Release } from '@holdfast/core';
import {
  expectReply,
  foreignKeyError,
  isDoubt,
  isInteger,
  isValue,
  isZeroOrOne,
  operatorCallOptions,
  operatorError,
} from '@holdfast/redis';
import type { Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { FORCE, FOREIGN, INSPECT } from './scripts.ts';
import { reportNode, type Store, type StoredKeys } from './store.ts';

/** Returns what is stored under a key. @throws BackendUnavailableError, LockError */
export async function inspect(store: Store, keys: StoredKeys): Promise<Inspection> {
  const { key, lock, fence } = keys;
  const options = operatorCallOptions(store.host);
  try {
    const reply = await store.node.script(INSPECT, [lock, fence], [], options);
    return inspection(key, expectReply(INSPECT.name, reply, isStoredValue));
  } catch (cause) {
    reportNode(store, key, cause);
    throw operatorError(cause, { backend: NAME, key });
  }
}

function inspection(key: string, [owner, leftMs, token]: StoredValue): Inspection {
  if (owner === null) return { key, held: false };
  return {
    key,
    held: true,
    owner,
    holder: parseOwner(owner)?.label,
    remainingMs: leftMs >= 0 ? leftMs : undefined,
    fencingToken: token !== null && /^\d+$/.test(token) ? BigInt(token) : undefined,
  };
}

/** Owner value, its remaining ms, fencing token. */
type StoredValue = readonly [string | null, number, string | null];

function isStoredValue(reply: Reply): reply is StoredValue {
  if (!Array.isArray(reply) || reply.length !== 3) return false;
  const [owner, leftMs, token]: readonly Reply[] = reply;
  return isValue(owner) && isInteger(leftMs) && isValue(token);
}

/** Deletes a hold of any holder. @throws BackendUnavailableError, LockError */
export async function forceRelease(store: Store, keys: StoredKeys): Promise<Release> {
  const { key, lock, channel } = keys;
  const context = { backend: NAME, key };
  let reply: Reply;
  try {
    const options = operatorCallOptions(store.host);
    reply = await store.node.script(FORCE, [lock, channel], [], options);
    if (!FOREIGN.has(reply)) expectReply(FORCE.name, reply, isZeroOrOne);
  } catch (cause) {
    reportNode(store, key, cause);
    if (isDoubt(cause)) return { kind: 'unknown', cause };
    throw operatorError(cause, context);
  }
  const foreign = FOREIGN.get(reply);
  if (foreign !== undefined) throw foreignKeyError(foreign, context);
  return { kind: reply === 1 ? 'released' : 'not-held' };
}
