import type { StrategyName } from './strategies.ts';

export type SaleFlaw =
  | 'oversold'
  | 'undersold'
  | 'duplicates'
  | 'deadlocked'
  | 'stolen'
  | 'mispriced';

/** One step: a way of selling, its lock, and the faults that are injected. */
export interface SaleStep {
  readonly id: string;
  readonly part: 'ladder' | 'instead';
  /** A description; half a sentence. */
  readonly what: string;
  readonly strategy: StrategyName;
  /** The name of its lock. */
  readonly lock?: string;
  /** The shortest lease that its servers grant, if that is longer than those of other steps. */
  readonly ttlMsMin?: number;
  readonly faults: readonly SaleFault[];
  /** The faults in words; absent if there are none. */
  readonly during?: string;
  /** The flaws that have to show; empty if none may; null if nothing is expected. */
  readonly shows: readonly SaleFlaw[] | null;
  /** The reason of its result. */
  readonly why: string;
}

/**
 * The call before which a fault is injected: the n-th one of this name that the first process sends to its stock or its
 * locks.
 */
interface CallAnchor {
  readonly at: 'stock' | 'lock';
  readonly before: string;
  readonly n: number;
}

/** A fault during a sale. Times are in leases: 1 is the ttl. */
export type SaleFault =
  /** The process crashes. */
  | ({ readonly kind: 'crash' } & CallAnchor)
  /** The process is paused. */
  | ({ readonly kind: 'pause'; readonly leases: number } & CallAnchor)
  /** This message is delayed until another client has its key. */
  | ({ readonly kind: 'delay' } & CallAnchor)
  /** The work of these requests takes so long, in every process. */
  | { readonly kind: 'slow'; readonly requests: readonly number[]; readonly leases: number };

/** A fault that is injected before a call. */
export type CallFault = Exclude<SaleFault, { readonly kind: 'slow' }>;

/** The faults of a step, and their description. */
export type StepFaults = Required<Pick<SaleStep, 'faults' | 'during'>>;

/** Calls that are early enough that much stock is left, and many enough that some do harm. */
const WRITES = [15, 30, 45];
const DELS = [15, 30, 45, 60, 75];
/** In leases: longer than a lease lasts and than a waiter takes to notice. */
const TOO_LONG = 1.5;

function slow(...requests: readonly number[]): SaleFault {
  return { kind: 'slow', requests, leases: TOO_LONG };
}

export const SLOW_WORK: StepFaults = {
  faults: [slow(20, 50, 80, 110, 140, 170)],
  during: 'the work of six requests takes longer than a lease',
};

export const DELAYED_DELS: StepFaults = {
  faults: DELS.map((n) => ({ kind: 'delay', at: 'lock', before: 'DEL', n })),
  during: 'five DELs arrive only after another client has acquired the lock',
};

export const CRASH_INSIDE: StepFaults = {
  faults: [{ kind: 'crash', at: 'stock', before: 'SET', n: 30 }],
  during: 'a process crashes while it holds the lock',
};

export const CRASH_BETWEEN: StepFaults = {
  faults: [{ kind: 'crash', at: 'lock', before: 'PEXPIRE', n: 30 }],
  during: 'a process crashes between SETNX and PEXPIRE',
};

/** All faults at once. */
export function allFaults(write: 'SET' | 'fenced-write'): StepFaults {
  const pauses: readonly SaleFault[] = WRITES.map((n) => ({
    kind: 'pause',
    at: 'stock',
    before: write,
    n,
    leases: TOO_LONG,
  }));
  return {
    faults: [slow(20, 80, 140), ...pauses, { kind: 'crash', at: 'stock', before: write, n: 60 }],
    during: 'slow work, a process that is paused before it writes, and one that crashes',
  };
}
