import type { SaleFault } from './sale-fault.ts';
import type { SaleStep } from './step.ts';

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
