import type { FaultId } from '@holdfast/core';
import { embeddedCost } from './embedded-cost.ts';
import { evidenceOf, type History } from './evidence.ts';
import type { RunHead } from './format-safety.ts';
import { judgeCell } from './judge-cell.ts';
import { COLUMNS, type Column } from './notation.ts';
import { playSchedule } from './play-schedule.ts';
import type { Cell, Figure } from './report.ts';
import { CLIENTS, ROUNDS, scheduleOf, TTL_MS } from './schedule.ts';
import type { Stage } from './stage.ts';
import { median } from './statistics.ts';
import { takeoverMs } from './took-effect.ts';

const BY = 'the simulator of Holdfast, in virtual time';

/** The simulator: needs no server, and plays the same schedules on every column. */
export class EmbeddedStage implements Stage {
  readonly head: RunHead;
  readonly #seed: number;
  readonly #schedules: number;
  readonly #takeoversMs = new Map<string, readonly number[]>();

  constructor({ seed, schedules }: { readonly seed: number; readonly schedules: number }) {
    this.#seed = seed;
    this.#schedules = schedules;
    this.head = {
      servers: 'embedded',
      how: 'simulated',
      by: BY,
      settings: { seed, schedules, clients: CLIENTS, rounds: ROUNDS, ttlMs: TTL_MS },
      faults: ['none', 'pause', 'holder-crash'],
      columns: [COLUMNS['no-lock'], COLUMNS.memory],
    };
  }

  async cell(fault: FaultId, column: Column): Promise<Cell> {
    const isLocked = column.id !== 'no-lock';
    const trials: History[] = [];
    for (let n = 0; n < this.#schedules; n++) {
      const schedule = scheduleOf(this.#seed, fault, n);
      const options = { isLocked, fatal: fault === 'holder-crash', seed: n };
      trials.push(await playSchedule(schedule, options));
    }
    if (fault === 'holder-crash') this.#takeoversMs.set(column.id, trials.flatMap(takeoverMs));
    return judgeCell(
      { how: 'simulated', fault, column: column.id },
      evidenceOf(trials, fault, isLocked),
    );
  }

  async figures(column: Column): Promise<readonly Figure[]> {
    if (column.id === 'no-lock') return [];
    const takeovers = this.#takeoversMs.get(column.id) ?? [];
    const takeover: Figure = {
      metric: 'takeover-ms',
      column: column.id,
      value: median(takeovers),
      how: 'simulated',
      by: `median, ttl ${TTL_MS} ms`,
      samples: takeovers.length,
    };
    return [...(await embeddedCost(column.id)), takeover];
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
