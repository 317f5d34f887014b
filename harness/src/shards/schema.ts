import * as v from 'valibot';
import { isControl } from '../locks/index.ts';
import { loadMatrix } from '../matrix/index.ts';
import { TARGET_PROPERTIES } from '../search/index.ts';
import { FAULT_IDS, parseSchedule, type Schedule } from '../simulator/index.ts';
import type { CompareShard, FindShard } from './report.ts';
import { SHARDS_MAX } from './shard.ts';

/** The limit of a story, too. */
const LOCK_MAX = 1_000;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const place = v.pipe(count, v.minValue(1));
const part = v.pipe(place, v.maxValue(SHARDS_MAX));
const counts = v.record(v.string(), count);
const fault = v.picklist(FAULT_IDS);
const property = v.picklist([...new Set(TARGET_PROPERTIES.map((wanted) => wanted.property))]);
const fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits'));
/** Throws a ScheduleError, which is the most precise; the value is kept as written, so that its replay string is equal. */
const schedule = v.custom<Schedule>((value) => parseSchedule(value).v === 1);

const tally = v.strictObject({
  schedules: count,
  effective: count,
  ops: count,
  accepted: count,
  violated: counts,
  sometimes: counts,
});

const violation = v.pipe(
  v.strictObject({
    property,
    fenced: v.boolean(),
    kind: v.picklist(['violated', 'unknown']),
    message: v.string(),
  }),
  // A report has no histories: running the schedule creates them again.
  v.transform((found) => ({ ...found, proof: [] })),
);

const hit = v.strictObject({ n: place, schedule, violation });

const findings = v.pipe(
  v.record(v.string(), hit),
  v.transform((found) => new Map(Object.entries(found))),
);

const head = {
  format: v.literal('holdfast-shard'),
  version: v.literal(1),
  holdfast: v.string(),
  shard: v.strictObject({ k: part, of: part }),
};

export const findShard: v.GenericSchema<unknown, FindShard> = v.strictObject({
  ...head,
  kind: v.literal('find'),
  campaign: v.strictObject({
    lock: v.pipe(v.string(), v.maxLength(LOCK_MAX)),
    faults: v.pipe(v.array(fault), v.maxLength(FAULT_IDS.length)),
    fenced: v.boolean(),
    property: v.nullable(property),
    budget: place,
    seed: count,
    fingerprint: v.nullable(fingerprint),
  }),
  tally,
  hits: v.array(hit),
  still: v.nullable(v.strictObject({ message: v.string(), schedule })),
});

const column: v.GenericSchema<string> = v.pipe(
  v.string('must be a column of the matrix'),
  v.check(
    (name) => isControl(name) || loadMatrix().columns.includes(name),
    'must be a column of the matrix',
  ),
);

const strings = v.nullable(v.array(v.string()));

export const compareShard: v.GenericSchema<unknown, CompareShard> = v.strictObject({
  ...head,
  kind: v.literal('compare'),
  campaign: v.strictObject({
    seed: count,
    budget: place,
    faults: strings,
    backends: strings,
    cells: v.array(
      v.pipe(
        v.strictObject({
          fault,
          variant: v.optional(v.string()),
          column,
          fingerprint,
        }),
        v.transform(({ variant, ...cell }) =>
          variant === undefined ? cell : { ...cell, variant },
        ),
      ),
    ),
  }),
  trials: v.array(v.strictObject({ tally, findings })),
});
