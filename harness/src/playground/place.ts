import type { FaultId } from '@holdfast/core/backend';
import {
  FAULTS,
  type Fault,
  parseSchedule,
  type Schedule,
  type Subject,
} from '../simulator/index.ts';

/** A fault that begins at a time on one lane. */
export interface PlaceableFault {
  readonly id: FaultId;
  readonly on: 'client' | 'node';
  /** True if it lasts: the page offers other lengths. */
  readonly lasts: boolean;
}

/** A fault that a reader puts on a lane. */
export interface Placement {
  readonly kind: FaultId;
  /** The name of the client, or of the server. */
  readonly lane: string;
  /** The time of the schedule, in ms. */
  readonly atMs: number;
  /** Its duration, or the size of a jump; by default a little more than the ttl. */
  readonly ms?: number;
}

/** The length of a fault that a reader placed, as a share of the ttl: long enough for another client to get the key. */
const USUAL_SHARE = 1.2;

/** All faults that need only a lane, a time and a length. */
export function placeableFaults(): readonly PlaceableFault[] {
  return FAULTS.all.flatMap(({ id, fields }) => {
    const { client, when, numbers } = fields;
    if (!when || fields.label || fields.either || fields.stay) return [];
    if (client !== true && numbers['nodes'] === undefined) return [];
    return [{ id, on: client === true ? 'client' : 'node', lasts: numbers['ms'] !== undefined }];
  });
}

/**
 * Adds a fault to a schedule.
 * @throws ScheduleError for a fault or lane that does not exist
 */
export function withFault(schedule: Schedule, placement: Placement, subject: Subject): Schedule {
  const fault = faultOf(placement, schedule, subject);
  return parseSchedule({ ...schedule, faults: [...schedule.faults, fault] });
}

/** Moves a fault to another time, or gives it another length. */
export function withMoved(
  schedule: Schedule,
  nth: number,
  { atMs, ms }: { readonly atMs?: number | undefined; readonly ms?: number | undefined },
): Schedule {
  const faults = schedule.faults.map((fault, i) =>
    i === nth
      ? {
          ...fault,
          ...(atMs === undefined || !('when' in fault) ? {} : { when: { atMs: whole(atMs) } }),
          ...(ms === undefined || !('ms' in fault) ? {} : { ms: whole(ms) }),
        }
      : fault,
  );
  return parseSchedule({ ...schedule, faults });
}

/** Removes a fault. */
export function withoutFault(schedule: Schedule, nth: number): Schedule {
  return { ...schedule, faults: schedule.faults.filter((_, i) => i !== nth) };
}

function faultOf(placement: Placement, { ttlMs, nodes }: Schedule, subject: Subject): Fault {
  const { kind, lane, atMs, ms = USUAL_SHARE * ttlMs } = placement;
  const { client, way, numbers } = FAULTS.get(kind).fields;
  const all = 2 ** Math.max(1, Math.min(nodes, subject.nodes)) - 1;
  const given: Readonly<Record<string, number>> = {
    ms: whole(ms),
    nodes: client === true ? all : 2 ** (Number(/^n(\d+)/.exec(lane)?.[1] ?? 1) - 1),
  };
  return {
    kind,
    ...(client === true ? { client: lane.toLowerCase() } : {}),
    when: { atMs: whole(atMs) },
    ...(way === undefined ? {} : { way: way[0] }),
    ...Object.fromEntries(
      Object.entries(numbers).map(([name, { benign }]) => [name, given[name] ?? benign]),
    ),
  };
}

function whole(ms: number): number {
  return Math.max(0, Math.round(ms));
}
