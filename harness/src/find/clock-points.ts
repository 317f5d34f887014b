import type { ClockPoint } from '../draw/index.ts';
import { EPOCH_MS, type TraceRecord } from '../simulator/index.ts';

/** How the wall clock of a process or server ran, from what the trace says was done to it. */
export function clockPoints(
  trace: readonly TraceRecord[],
  process: string,
  aheadMs: number,
): readonly ClockPoint[] {
  const points: ClockPoint[] = [{ atMs: 0, wallMs: EPOCH_MS + aheadMs, rate: 1 }];
  for (const record of trace) {
    if (record.process !== process || (record.kind !== 'jump' && record.kind !== 'drift')) continue;
    const last = points.at(-1);
    if (last === undefined) continue;
    const { atMs: fromMs, wallMs, rate = 1 } = last;
    const atMs = (record.departUs ?? record.atUs) / 1000;
    const now = { atMs, wallMs: wallMs + (atMs - fromMs) * rate, rate };
    const by = Number(record.label);
    points.push(
      record.kind === 'jump' ? { ...now, wallMs: now.wallMs + by } : { ...now, rate: 1 + by / 1e6 },
    );
  }
  return points;
}
