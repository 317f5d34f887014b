import * as v from 'valibot';
import { CONTROL } from '../locks/index.ts';
import { FAULT_IDS, isWholeUs, SOMETIMES, type Sometimes } from '../simulator/index.ts';
import {
  CLAIMED,
  type Expect,
  type Matrix,
  type MatrixColumn,
  type PropertyClaim,
  type Row,
  type RowSetup,
} from './matrix.ts';

/** `docs/matrix.json` as it is written, without defaults. */
export interface MatrixData extends Omit<Matrix, 'rows'> {
  readonly v: 1;
  readonly rows: readonly RowData[];
}

export interface RowData {
  readonly fault: Row['fault'];
  readonly variant?: string | undefined;
  readonly setup?: SetupData | undefined;
  readonly cells: Readonly<Record<MatrixColumn, CellData>>;
}

export type SetupData = { readonly [K in keyof RowSetup]: RowSetup[K] | undefined };

/** If nothing can be tested, one reason covers all properties. */
export type CellData =
  | {
      readonly expect: Extract<Expect, 'inert' | 'n/a'>;
      readonly why: string;
      readonly doubtful?: true | undefined;
    }
  | {
      readonly validity: PropertyClaim;
      readonly belief: PropertyClaim;
      readonly resource: PropertyClaim;
      readonly accepted?: number | undefined;
      readonly acceptedWhy?: string | undefined;
      readonly stuck?: number | undefined;
      readonly stuckWhy?: string | undefined;
      readonly sometimes?: readonly Sometimes[] | undefined;
    };

/** Even under its fault each row needs some operations that succeed. */
const ACCEPTED_MIN = 0.05;
/** With a larger factor the last client in line waits longer than its time limit. */
const TTL_TIMES_MAX = 4;
/** With a larger share the cell shows nothing about a working lock. */
const STUCK_MAX = 0.5;

const sentence = v.pipe(v.string(), v.regex(/\S.*\.$/, 'must be a sentence with its full stop'));
const name = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]*$/, 'must be a name in kebab-case'));

/** A column, or a lock reached in another way: `redis-simple/sentinel`. */
const columnName = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9-]*(?:\/[a-z-]+)?$/, 'must be the name of a column'),
);

const claim = v.variant('expect', [
  v.strictObject({ expect: v.literal('holds'), why: sentence, mutant: v.optional(name) }),
  v.strictObject({ expect: v.literal('breaks'), why: sentence, story: v.optional(name) }),
  v.strictObject({ expect: v.picklist(['inert', 'n/a']), why: sentence }),
]);

const untried = v.strictObject({
  expect: v.picklist(['inert', 'n/a']),
  why: sentence,
  doubtful: v.optional(v.literal(true)),
});

const tried = v.strictObject({
  validity: claim,
  belief: claim,
  resource: claim,
  accepted: v.optional(v.pipe(v.number(), v.minValue(ACCEPTED_MIN), v.maxValue(1))),
  acceptedWhy: v.optional(sentence),
  stuck: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(STUCK_MAX))),
  stuckWhy: v.optional(sentence),
  sometimes: v.optional(
    v.pipe(v.array(v.picklist(SOMETIMES)), v.minLength(1, 'must name a state')),
  ),
});

const cell = v.union(
  [untried, tried],
  'must state an expectation: one for all, or one for each property',
);

const setup = v.strictObject({
  variation: v.optional(name),
  replicaClockMs: v.optional(v.pipe(v.number(), v.check(isWholeUs, 'must be ms, to the µs'))),
  affected: v.optional(v.picklist(['minority', 'all'])),
  faultsMax: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  newcomer: v.optional(v.literal(true)),
  ttlTimes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(TTL_TIMES_MAX))),
});

const row = v.strictObject({
  fault: v.picklist(FAULT_IDS),
  variant: v.optional(v.string()),
  setup: v.optional(setup),
  cells: v.record(columnName, cell),
});

const difference = v.strictObject({
  cells: v.pipe(
    v.array(
      v.strictObject({
        fault: v.picklist(FAULT_IDS),
        variant: v.optional(v.string()),
        column: v.string(),
      }),
    ),
    v.minLength(1, 'must name a cell'),
  ),
  claims: v.pipe(v.array(v.picklist(CLAIMED)), v.minLength(1, 'must name a property')),
  onlySeenBy: v.picklist(['simulator', 'laboratory']),
  why: sentence,
  replay: name,
});

const always = v.strictObject({
  why: sentence,
  mutants: v.record(name, name),
  rows: v.pipe(v.array(v.string()), v.minLength(1, 'must name a row')),
});

const phases = v.strictObject({
  expect: v.picklist(['holds', 'breaks']),
  why: sentence,
  except: v.optional(v.record(v.string(), sentence)),
});

const moving = v.strictObject({
  about: v.array(sentence),
  store: name,
  phases: v.record(v.string(), phases),
});

const topologies = v.strictObject({ about: v.array(sentence), columns: v.array(columnName) });

/** The shape of `docs/matrix.json`; `inconsistencies.ts` checks what a shape cannot express. */
export const matrixSchema: v.GenericSchema<unknown, MatrixData> = v.strictObject({
  v: v.literal(1, 'this release reads version 1'),
  about: v.array(sentence),
  control: v.strictObject({ column: v.literal(CONTROL.name), why: sentence }),
  columns: v.pipe(v.array(name), v.minLength(1, 'must name a lock')),
  mutants: v.record(name, v.string()),
  contention: v.record(name, sentence),
  always: v.strictObject({ fifo: always, ownership: always }),
  rows: v.array(row),
  topologies,
  differences: v.array(difference),
  moving,
});
