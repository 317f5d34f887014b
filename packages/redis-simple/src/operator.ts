import { type Inspection, parseOwner, type Release } from '@holdfast/core/backend';
import {
  expectReply,
  foreignKeyError,
  isDoubt,
  isInteger,
  isValue,
  isZeroOrOne,
  keyOf,
  operatorCallOptions,
  operatorError,
} from '@holdfast/redis';
import type { Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { FORCE, FOREIGN, INSPECT } from './scripts.ts';
import { LOCK, reportNode, type Store, type StoredKeys } from './store.ts';

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

/** Lists the keys that are held. @throws BackendUnavailableError, LockError */
export async function heldKeys(store: Store, namespace: string): Promise<readonly string[]> {
  const { node, host } = store;
  const keys = new Set<string>();
  try {
    const nodes = (await node.cluster?.masters(operatorCallOptions(host))) ?? [node];
    for (const each of nodes) await addHeldKeys(keys, { ...store, node: each }, namespace);
  } catch (cause) {
    throw operatorError(cause, { backend: NAME, key: '' });
  }
  return [...keys];
}

/** Adds the held keys of one node. */
async function addHeldKeys(keys: Set<string>, store: Store, namespace: string): Promise<void> {
  let cursor = '0';
  do {
    const page = await scan(store, cursor);
    for (const name of page.names) {
      const key = keyOf(name, namespace, LOCK);
      if (key !== undefined) keys.add(key);
    }
    cursor = page.cursor;
  } while (cursor !== '0');
}

interface Page {
  readonly cursor: string;
  readonly names: readonly string[];
}

async function scan(store: Store, cursor: string): Promise<Page> {
  const args = ['SCAN', cursor, 'MATCH', `*:${LOCK}`, 'COUNT', '1000'];
  const reply = await store.node.command(args, operatorCallOptions(store.host));
  const [next, names] = expectReply('SCAN', reply, isPage);
  return { cursor: next, names };
}

function isPage(reply: Reply): reply is readonly [string, readonly string[]] {
  if (!Array.isArray(reply) || reply.length !== 2) return false;
  const [cursor, names]: readonly Reply[] = reply;
  return (
    typeof cursor === 'string' &&
    Array.isArray(names) &&
    names.every((name: Reply) => typeof name === 'string')
  );
}
