import {
  callDeadlineMs,
  type Health,
  type Inspection,
  parseOwner,
  type Release,
} from '@holdfast/core';
import { healthOf } from '@holdfast/redis';
import { type CallOptions, NodeDoubt, type Reply } from '@holdfast/redis/port';
import type { StoredKeys } from './keys.ts';
import { foreign, thrownBy } from './replies.ts';
import { FORCE } from './scripts/force.ts';
import { INSPECT } from './scripts/inspect.ts';
import { reportNode, type Store } from './store.ts';

/** What stands under a key. @throws BackendUnavailableError, LockError */
export async function inspect(store: Store, keys: StoredKeys): Promise<Inspection> {
  const { key, lock, fence } = keys;
  let reply: Reply;
  try {
    reply = await store.node.script(INSPECT, [lock, fence], [], fromNow(store));
  } catch (cause) {
    reportNode(store, key, cause);
    throw thrownBy(cause, key);
  }
  return inspection(key, reply);
}

function inspection(key: string, reply: Reply): Inspection {
  const [owner, leftMs, token] = Array.isArray(reply) ? reply : [];
  if (typeof owner !== 'string') return { key, held: false };
  return {
    key,
    held: true,
    owner,
    holder: parseOwner(owner)?.label,
    remainingMs: typeof leftMs === 'number' && leftMs >= 0 ? leftMs : undefined,
    fencingToken: typeof token === 'string' && /^\d+$/.test(token) ? BigInt(token) : undefined,
  };
}

/** Removes a hold, whoever has it. @throws BackendUnavailableError, LockError */
export async function forceRelease(store: Store, keys: StoredKeys): Promise<Release> {
  const { key, lock, channel } = keys;
  let reply: Reply;
  try {
    reply = await store.node.script(FORCE, [lock, channel], [], fromNow(store));
  } catch (cause) {
    reportNode(store, key, cause);
    if (cause instanceof NodeDoubt) return { kind: 'unknown', cause };
    throw thrownBy(cause, key);
  }
  if (Number(reply) < 0) throw foreign(Number(reply), key);
  return { kind: reply === 1 ? 'released' : 'not-held' };
}

/** Whether it answers and takes writes. */
export async function health({ node, host }: Store): Promise<Health> {
  const asked = await healthOf(node, host);
  return { ok: asked.ok, nodes: [asked] };
}

/** An operator's call has no ttl to go by. */
function fromNow({ host }: Store): CallOptions {
  return { deadlineMs: host.runtime.now().monotonicMs + callDeadlineMs(undefined) };
}
