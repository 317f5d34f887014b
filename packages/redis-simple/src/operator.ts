import { type Inspection, parseOwner, type Release } from '@holdfast/core/backend';
import {
  expectReply,
  foreignKeyError,
  isDoubt,
  isInteger,
  isValue,
  isZeroOrOne,
  operatorCallOptions,
  operatorError,
  storedKeyPages,
} from '@holdfast/redis';
import type { Reply, Script } from '@holdfast/redis/port';
import { FORCE_FAIR, INSPECT_FAIR } from './fair/scripts.ts';
import { NAME } from './identity.ts';
import { INSPECT_PLAIN } from './plain/scripts.ts';
import { FORCE, FOREIGN, INSPECT } from './scripts.ts';
import { LOCK, reportNode, type Store, type StoredKeys } from './store.ts';

/** Returns what is stored under a key. @throws BackendUnavailableError, LockError */
export async function inspect(store: Store, keys: StoredKeys): Promise<Inspection> {
  const { key } = keys;
  const options = operatorCallOptions(store.host);
  try {
    const [script, names] = inspectionOf(keys);
    const reply = await store.node.script(script, names, [], options);
    return inspection(keys, expectReply(script.name, reply, isStoredValue));
  } catch (cause) {
    reportNode(store, key, cause);
    throw operatorError(cause, { backend: NAME, key });
  }
}

function inspectionOf({ lock, fence, line, isPlain }: StoredKeys): [Script, readonly string[]] {
  if (isPlain) return [INSPECT_PLAIN, [lock]];
  if (line === undefined) return [INSPECT, [lock, fence]];
  return [INSPECT_FAIR, [lock, fence, line.queue]];
}

function inspection(
  { key, line }: StoredKeys,
  [owner, leftMs, token, length]: StoredValue,
): Inspection {
  const waiters = length === undefined ? {} : { waiters: length };
  const isReserved = owner !== null && line !== undefined && isReservation(owner);
  if (owner === null || isReserved) return { key, held: false, ...waiters };
  return {
    key,
    held: true,
    ...waiters,
    owner,
    holder: parseOwner(owner)?.label,
    remainingMs: leftMs >= 0 ? leftMs : undefined,
    fencingToken: token !== null && /^\d+$/.test(token) ? BigInt(token) : undefined,
  };
}

/** True for the value that keeps the key for a chosen waiter, which does not hold it yet. */
function isReservation(owner: string): boolean {
  return /^[^:]+:00:/.test(owner);
}

/** Owner value, its remaining ms, fencing token; the length of the queue, if there is one. */
type StoredValue =
  | readonly [string | null, number, string | null]
  | readonly [string | null, number, string | null, number];

function isStoredValue(reply: Reply): reply is StoredValue {
  if (!Array.isArray(reply) || reply.length < 3 || reply.length > 4) return false;
  const [owner, leftMs, token, length = 0]: readonly Reply[] = reply;
  return isValue(owner) && isInteger(leftMs) && isValue(token) && isInteger(length);
}

/** Deletes a hold of any holder. @throws BackendUnavailableError, LockError */
export async function forceRelease(store: Store, keys: StoredKeys): Promise<Release> {
  const { key, lock, channel, line } = keys;
  const context = { backend: NAME, key };
  let reply: Reply;
  try {
    const options = operatorCallOptions(store.host);
    const [script, names] =
      line === undefined
        ? ([FORCE, [lock, channel]] as const)
        : ([FORCE_FAIR, [lock, channel, line.queue, line.present]] as const);
    reply = await store.node.script(script, names, [], options);
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

/** Lists the keys that are held, of each master. @throws BackendUnavailableError, LockError */
export async function* heldKeys(
  store: Store,
  namespace: string,
): AsyncGenerator<readonly string[]> {
  const { node, host } = store;
  try {
    const nodes = (await node.cluster?.masters(operatorCallOptions(host))) ?? [node];
    for (const each of nodes) yield* storedKeyPages(each, { host, namespace, suffix: LOCK });
  } catch (cause) {
    throw operatorError(cause, { backend: NAME, key: '' });
  }
}
