import type { Random } from '../random.ts';
import { FIXED_HOLD_MS_MAX, LONGER_HOLD_MS } from './arbitrary-parts.ts';
import type { FaultRegistry } from './fault.ts';
import type { Fault, Op, Repointing, Schedule, When } from './schedule.ts';

/** Calls are counted for each client and label; at larger counts less happens. */
const NTH_MAX = 4;

/** Moves operations and faults to random times, no further out than the schedule reaches already. */
export function retimed(schedule: Schedule, source: Random, registry: FaultRegistry): Schedule {
  const { ttlMs } = schedule;
  const reachMs = Math.max(ttlMs, ...schedule.ops.map(({ atMs, holdMs }) => atMs + holdMs));
  const ops = schedule.ops.map((op) => retimedOp(op, reachMs, source));
  const faults = schedule.faults.map((fault) => retimedFault(fault, reachMs, source, registry));
  const { repointings } = schedule;
  if (repointings === undefined) return { ...schedule, ops, faults };
  const repointed = repointings.map((each) => retimedRepointing(each, reachMs, source));
  return { ...schedule, ops, faults, repointings: repointed };
}

function retimedRepointing(each: Repointing, reachMs: number, source: Random): Repointing {
  return {
    ...each,
    ...(half(source) ? { atMs: source.below(reachMs + 1) } : {}),
    ...(half(source) ? { ms: source.below(2 * each.ms + 1) } : {}),
  };
}

function retimedOp(op: Op, reachMs: number, source: Random): Op {
  const holdMax = op.renews ? LONGER_HOLD_MS : Math.max(op.holdMs, FIXED_HOLD_MS_MAX);
  return {
    ...op,
    ...(half(source) ? { atMs: source.below(reachMs + 1) } : {}),
    ...(half(source) ? { holdMs: source.below(holdMax + 1) } : {}),
  };
}

function retimedFault(
  fault: Fault,
  reachMs: number,
  source: Random,
  registry: FaultRegistry,
): Fault {
  const changed: Record<string, Fault[string]> & Pick<Fault, 'kind'> = { ...fault };
  if (fault.when !== undefined) changed['when'] = retimedWhen(fault.when, reachMs, source);
  for (const [name, { min }] of Object.entries(registry.get(fault.kind).fields.numbers)) {
    const value = changed[name];
    if (name === 'nodes' || typeof value !== 'number' || half(source)) continue;
    if (name === 'n') changed[name] = 1 + source.below(NTH_MAX);
    else changed[name] = Math.max(min, Math.sign(value) * source.below(2 * Math.abs(value) + 1));
  }
  return changed;
}

function retimedWhen(when: When, reachMs: number, source: Random): When {
  if (half(source)) return when;
  if ('atMs' in when) return { atMs: source.below(reachMs + 1) };
  return { ...when, n: 1 + source.below(NTH_MAX) };
}

function half(source: Random): boolean {
  return source.next() < 0.5;
}
