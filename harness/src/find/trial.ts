import type { FoundEffort } from '../compare/found-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Told, Wanted } from '../search/index.ts';
import type { Played, Schedule, Subject } from '../simulator/index.ts';
import type { Bound } from './bound.ts';
import type { Hunted, HuntOptions } from './hunt.ts';
import type { Quest } from './quest.ts';

/** What is known of a lock before it is tried. */
export interface Promises {
  readonly name: string;
  /** How many servers it spreads over. */
  readonly nodes: number;
  readonly tokens: boolean;
  /** Whether those who wait stand in a queue that can be looked into, as `fifo` asks. */
  readonly isQueue: boolean;
}

export function promisesOf({ name, nodes, tokens, ensemble }: Subject): Promises {
  return { name, nodes, tokens, isQueue: ensemble !== undefined };
}

/** A lock on trial, in this thread or in one that can be ended when the lock never yields. */
export interface Trial {
  readonly promises: Promises;
  hunt(
    quest: Quest,
    options: Pick<HuntOptions, 'share' | 'onProgress'> & { readonly bound: Bound },
  ): Promise<Hunted>;
  /** Of what a quest plays: which lock this is, in which state of the code. */
  fingerprint(quest: Quest): Promise<string>;
  /** Makes a failing schedule small and plays it traced. */
  tell(schedule: Schedule, wanted: Wanted): Promise<Told>;
  play(schedule: Schedule): Promise<Played>;
  /** What it does under one fault, as a cell of a table. */
  found(row: ReportRow, effort: FoundEffort): Promise<Cell>;
  close(): Promise<void>;
}

/** The lock's own code went on without ever waiting for anything, so that nothing else could happen. */
export class StillError extends Error {
  override readonly name = 'StillError';
  /** The one that was being played. */
  readonly schedule: Schedule;

  constructor(message: string, schedule: Schedule) {
    super(message);
    this.schedule = schedule;
  }
}
