import { median } from '../check/index.ts';
import { subjectOf } from '../locks/index.ts';
import { type MatrixColumn } from '../matrix/index.ts';
import { playGuarded } from '../search/index.ts';
import { BATCH, batchOf, schedulesFor } from '../simulator/index.ts';
import type { Figure } from './report.ts';
import { takeoverMs } from './took-effect.ts';

/** How long waiters of a dead holder wait, in virtual time. */
export async function simulatedTakeover(column: MatrixColumn, seed: number): Promise<Figure> {
  const subject = subjectOf(column);
  const { nodes, renews } = subject;
  const schedules = batchOf(schedulesFor(['holder-crash'], { nodes, renews }), seed, 0);
  const takeoversMs: number[] = [];
  for (const schedule of schedules) {
    const { history } = await playGuarded(schedule, subject);
    takeoversMs.push(...takeoverMs(history));
  }
  return {
    metric: 'takeover-ms',
    column,
    value: median(takeoversMs),
    how: 'simulated',
    by: `median, ttl ${schedules[0]?.ttlMs ?? 0} ms`,
    samples: takeoversMs.length,
    ...(takeoversMs.length === 0 ? { reason: `no holder died in ${BATCH} schedules` } : {}),
  };
}
