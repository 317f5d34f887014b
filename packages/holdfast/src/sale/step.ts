import type { DealName } from './deals.ts';
import type { Trouble } from './trouble.ts';

/** Where a step's locks come from. */
export type LockName =
  | 'setnx-del'
  | 'setnx-expire'
  | 'set-nx-fixed'
  | 'set-nx-same-id'
  | 'set-nx-get-del'
  | 'set-nx-lua'
  | 'redis-simple'
  | 'redis-getset'
  | 'redlock'
  | 'zk';

export type Flaw = 'oversold' | 'undersold' | 'duplicates' | 'deadlocked' | 'stolen';

/** One step of the ladder: how is sold, under which lock, and what goes wrong meanwhile. */
export interface Step {
  readonly id: string;
  readonly part: 'ladder' | 'instead';
  /** What it does; half a sentence. */
  readonly what: string;
  readonly deal: DealName;
  readonly lock?: LockName;
  readonly troubles: readonly Trouble[];
  /** What goes wrong meanwhile, for people; absent where nothing does. */
  readonly during?: string;
  /** What has to go wrong; empty where nothing may. */
  readonly shows: readonly Flaw[];
  /** Why it comes to what it comes to. */
  readonly why: string;
}
