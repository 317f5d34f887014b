import type { StrategyName } from './strategies.ts';

export type SaleFlaw = 'oversold' | 'undersold' | 'duplicates' | 'deadlocked' | 'stolen';

/** One step of the ladder: how is sold, under which lock, and what goes wrong meanwhile. */
export interface SaleStep {
  readonly id: string;
  readonly part: 'ladder' | 'instead';
  /** What it does; half a sentence. */
  readonly what: string;
  readonly deal: StrategyName;
  /** The name of the lock that it sells under. */
  readonly lock?: string;
  readonly troubles: readonly SaleFault[];
  /** What goes wrong meanwhile, for people; absent where nothing does. */
  readonly during?: string;
  /** What has to go wrong; empty where nothing may; null where nothing is expected. */
  readonly shows: readonly SaleFlaw[] | null;
  /** Why it comes to what it comes to. */
  readonly why: string;
}

/** Before which call it strikes: the n-th one with this name that the first process makes, to its stock or its locks. */
interface CallAnchor {
  readonly at: 'stock' | 'lock';
  readonly before: string;
  readonly n: number;
}

/** What goes wrong while a sale is on. Times are in leases: 1 is the ttl. */
export type SaleFault =
  /** The process dies. */
  | ({ readonly kind: 'crash' } & CallAnchor)
  /** The process stands still, with all it does. */
  | ({ readonly kind: 'stand-still'; readonly leases: number } & CallAnchor)
  /** This one message is on its way until its key has become somebody else's. */
  | ({ readonly kind: 'hold-up' } & CallAnchor)
  /** The work of these requests takes so long, whoever handles them. */
  | { readonly kind: 'slow'; readonly requests: readonly number[]; readonly leases: number };

/** What strikes a process when it calls. */
export type CallFault = Exclude<SaleFault, { readonly kind: 'slow' }>;

/** What goes wrong while a step sells. */
export type StepFaults = Required<Pick<SaleStep, 'troubles' | 'during'>>;

/** Early enough for there to be a lot left to lose, and often enough for bad luck to strike. */
const WRITES = [15, 30, 45];
const DELS = [15, 30, 45, 60, 75];
/** Of a lease: longer than it lasts, and than a waiter takes to notice. */
const TOO_LONG = 1.5;

function slow(...requests: readonly number[]): SaleFault {
  return { kind: 'slow', requests, leases: TOO_LONG };
}

export const SLOW_WORK: StepFaults = {
  troubles: [slow(20, 50, 80, 110, 140, 170)],
  during: 'the work of six requests takes longer than a lease',
};

export const DELAYED_DELS: StepFaults = {
  troubles: DELS.map((n) => ({ kind: 'hold-up', at: 'lock', before: 'DEL', n })),
  during: 'five DELs are on their way until somebody else has the lock',
};

export const DEATH_INSIDE: StepFaults = {
  troubles: [{ kind: 'crash', at: 'stock', before: 'SET', n: 30 }],
  during: 'a process dies while it holds the lock',
};

export const DEATH_BETWEEN: StepFaults = {
  troubles: [{ kind: 'crash', at: 'lock', before: 'PEXPIRE', n: 30 }],
  during: 'a process dies between SETNX and PEXPIRE',
};

/** Everything at once that a lock is up against. */
export function allFaults(write: 'SET' | 'fenced-write'): StepFaults {
  const stand: readonly SaleFault[] = WRITES.map((n) => ({
    kind: 'stand-still',
    at: 'stock',
    before: write,
    n,
    leases: TOO_LONG,
  }));
  return {
    troubles: [slow(20, 80, 140), ...stand, { kind: 'crash', at: 'stock', before: write, n: 60 }],
    during: 'slow work, a process that is paused before it writes, and one that crashes',
  };
}
