import {
  callDeadlineMs,
  type Health,
  type Inspection,
  parseOwner,
  type Release,
} from '@holdfast/core';
import { healthOf, isInteger, isValue, isZeroOrOne, UnexpectedReply } from '@holdfast/redis';
import { type CallOptions, NodeDoubt, type Reply } from '@holdfast/redis/port';
import type { StoredKeys } from './keys.ts';
import { foreignKeyError, isForeign, operatorError } from './replies.ts';
import { FORCE } from './scripts/force.ts';
import { INSPECT } from './scripts/inspect.ts';
import { reportNode, type Store } from './store.ts';

/** What stands under a key. @throws BackendUnavailableError, LockError */
export async function inspect(store: Store, keys: StoredKeys): Promise<Inspection> {
  const { key, lock, fence } = keys;
  try {
    const reply = await store.node.script(INSPECT, [lock, fence], [], operatorCallOptions(store));
    if (!isStoredValue(reply)) throw new UnexpectedReply(INSPECT.name, reply);
    return inspection(key, reply);
  } catch (cause) {
    reportNode(store, key, cause);
    throw operatorError(cause, key);
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

/** Owner value, ms that it has left, fence. */
type StoredValue = readonly [string | null, number, string | null];

function isStoredValue(reply: Reply): reply is StoredValue {
  if (!Array.isArray(reply) || reply.length !== 3) return false;
  const [owner, leftMs, token]: readonly Reply[] = reply;
  return isValue(owner) && isInteger(leftMs) && isValue(token);
}

/** Removes a hold, whoever has it. @throws BackendUnavailableError, LockError */
export async function forceRelease(store: Store, keys: StoredKeys): Promise<Release> {
  const { key, lock, channel } = keys;
  let reply: Reply;
  try {
    reply = await store.node.script(FORCE, [lock, channel], [], operatorCallOptions(store));
    if (!isZeroOrOne(reply) && !isForeign(reply)) throw new UnexpectedReply(FORCE.name, reply);
  } catch (cause) {
    reportNode(store, key, cause);
    if (cause instanceof NodeDoubt || cause instanceof UnexpectedReply)
      return { kind: 'unknown', cause };
    throw operatorError(cause, key);
  }
  if (isForeign(reply)) throw foreignKeyError(reply, key);
  return { kind: reply === 1 ? 'released' : 'not-held' };
}

/** Whether it answers and takes writes. */
export async function health({ node, host }: Store): Promise<Health> {
  const asked = await healthOf(node, host);
  return { ok: asked.ok, nodes: [asked] };
}

/** An operator's call has no ttl to go by. */
function operatorCallOptions({ host }: Store): CallOptions {
  return { deadlineMs: host.runtime.now().monotonicMs + callDeadlineMs(undefined) };
}
