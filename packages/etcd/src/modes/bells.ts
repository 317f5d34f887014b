import { bellKeyOf } from '../keys.ts';
import type { Op } from '../port.ts';
import type { Store } from '../store.ts';
import { nameIn } from './mode-position.ts';

/** How often the first waiter for permits looks by itself: a holder that died rings no bell. */
export const PERMITS_POLL_MS = 1_000;

/**
 * A key that a waiter for permits puts, to watch its deletion. The one of the first waiter is deleted by whoever releases
 * permits, since any one of many holders may let it in. That of another waiter is named after the one in front, is on the
 * lease of that one, and is deleted by it when it is granted: so it ends in any case in which the waiter must look.
 */
export interface Bell {
  readonly key: string;
  readonly lease: bigint;
}

/** The bell of the first waiter. */
export function firstBell({ layout }: Store, lock: string, lease: bigint): Bell {
  return { key: bellKeyOf(layout, lock, ''), lease };
}

/** The bell of the waiter behind the contender whose key is `stored`. */
export function bellBehind({ layout }: Store, lock: string, stored: string, lease: bigint): Bell {
  return { key: bellKeyOf(layout, lock, nameIn(stored)), lease };
}

/** Rings the first waiter's bell. */
export function ringFirst({ layout }: Store, lock: string): Op {
  return { kind: 'delete', key: bellKeyOf(layout, lock, '') };
}

/** Rings the bell of the waiter behind. */
export function ringBehind({ layout }: Store, lock: string, stored: string): Op {
  return { kind: 'delete', key: bellKeyOf(layout, lock, nameIn(stored)) };
}
