import type { FaultId } from '@holdfast/core';
import { type Random, random } from '@holdfast/sim';

/** One round of one client, in ms of its own clock. */
export interface Round {
  /** Before it asks for the lock. */
  readonly idleMs: number;
  /** Between what it reads and what it writes. */
  readonly thinkMs: number;
}

/** Where the fault strikes: right before the `round`-th write of `client`, both from 0. */
export interface Strike {
  readonly client: number;
  readonly round: number;
  /** How long it stands still; a crash is for ever. */
  readonly ms: number;
}

/** Plain data; the same schedule is played on every column. */
export interface Schedule {
  readonly clients: readonly (readonly Round[])[];
  readonly strike: Strike | undefined;
}

export const CLIENTS = 3;
export const ROUNDS = 4;
export const TTL_MS = 1_000;

/** The `n`-th schedule of a seed for one fault. */
export function scheduleOf(seed: number, fault: FaultId, n: number): Schedule {
  const source = random(`${seed}/${fault}/${n}`);
  const clients = Array.from({ length: CLIENTS }, () =>
    Array.from({ length: ROUNDS }, () => roundOf(source)),
  );
  return { clients, strike: fault === 'none' ? undefined : strikeOf(source) };
}

function roundOf(source: Random): Round {
  return { idleMs: source.below(20), thinkMs: 1 + source.below(40) };
}

/** Not in the first round, when nothing has been written yet, nor in the last, lest nobody be left to disturb. */
function strikeOf(source: Random): Strike {
  const client = source.below(CLIENTS);
  const round = 1 + source.below(ROUNDS - 2);
  return { client, round, ms: TTL_MS + 100 + source.below(TTL_MS) };
}
