import { callDeadlineMs, type Release } from '@holdfast/core';
import { isZeroOrOne, UnexpectedReply } from '@holdfast/redis';
import { NodeReplyError } from '@holdfast/redis/port';
import type { StoredKeys } from './keys.ts';
import { RELEASE } from './scripts/release.ts';
import { reportNode, type Store } from './store.ts';

/** What one attempt wrote, or may have written. */
export interface StoredHold {
  readonly keys: StoredKeys;
  /** Compared whole, so that whatever is sent can touch this hold only, however late it lands. */
  readonly owner: string;
}

/** Asks the node to release one hold; never rejects. A call may take a tenth of `ttlMs`. */
export async function release(store: Store, hold: StoredHold, ttlMs: number): Promise<Release> {
  const { keys, owner } = hold;
  const deadlineMs = store.host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
  try {
    const args = [keys.lock, keys.channel];
    const reply = await store.node.script(RELEASE, args, [owner], { deadlineMs });
    if (!isZeroOrOne(reply)) throw new UnexpectedReply(RELEASE.name, reply);
    return { kind: reply === 1 ? 'released' : 'not-held' };
  } catch (cause) {
    if (isOverwritten(cause)) return { kind: 'not-held' };
    reportNode(store, keys.key, cause);
    return { kind: 'unknown', cause };
  }
}

/** Something of another type stands under the key, so this hold certainly does not. */
export function isOverwritten(cause: unknown): boolean {
  return cause instanceof NodeReplyError && cause.code === 'WRONGTYPE';
}
