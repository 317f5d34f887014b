import { FIXED_HOLD_MS_MAX } from './arbitrary-parts.ts';
import type { FaultRegistry } from './fault.ts';
import { ENSEMBLE, REPOINTING, SETUP } from './fields.ts';
import type { Fault, Op, Schedule } from './schedule.ts';

/** One number or flag of a schedule that can be brought closer to its benign value. */
export interface Simplification {
  /** Simplest first. */
  candidates(schedule: Schedule): readonly Schedule[];
  readonly benign?: number;
  readonly get?: (schedule: Schedule) => number;
  readonly set?: (schedule: Schedule, value: number) => Schedule;
}

/** Returns the values that can be simpler in this schedule. The faults' numbers are last: the story is about them. */
export function simplifications(
  schedule: Schedule,
  faults: FaultRegistry,
): readonly Simplification[] {
  return [
    ...(['latencyMs', 'lagMs', 'replicaClockMs'] as const).map((name) =>
      ofNumber(
        (from) => from[name],
        (from, value) => ({ ...from, [name]: value }),
        SETUP[name].benign,
      ),
    ),
    ...ofEnsemble(schedule),
    ...ofAttempts(schedule),
    ...ofAftermath(schedule),
    ...schedule.ops.flatMap((op, i) => ofOp(op, i)),
    ...(schedule.repointings ?? []).flatMap((_, i) => ofRepointing(i)),
    ...schedule.faults.flatMap((fault, i) => ofFault(fault, i, faults)),
  ];
}

/** The usual ensemble, or at least one usual value. */
function ofEnsemble({ ensemble: unusual }: Schedule): readonly Simplification[] {
  if (unusual === undefined) return [];
  const asUsual: Simplification = {
    candidates: ({ ensemble, ...rest }) => (ensemble === undefined ? [] : [rest]),
  };
  const numbers = (['ticks', 'syncLimit', 'reapMs'] as const).map((name) =>
    ofNumber(
      ({ ensemble }) => ensemble?.[name] ?? ENSEMBLE[name].benign,
      ({ ensemble, ...rest }, value) =>
        ensemble === undefined ? rest : { ...rest, ensemble: { ...ensemble, [name]: value } },
      ENSEMBLE[name].benign,
    ),
  );
  return [asUsual, ...numbers];
}

/** Removing them altogether is a reduction, and not tried here. */
function ofAttempts({ attempts: some }: Schedule): readonly Simplification[] {
  if (some === undefined) return [];
  return [
    {
      benign: 0,
      get: ({ attempts = 0 }) => attempts,
      set: (from, attempts) => ({ ...from, attempts }),
      candidates: () => [],
    },
  ];
}

function ofAftermath({ aftermath }: Schedule): readonly Simplification[] {
  if (aftermath === undefined) return [];
  return (['apartMs', 'atMs'] as const).map((name) =>
    ofNumber(
      (from) => from.aftermath?.[name] ?? 0,
      (from, value) =>
        from.aftermath === undefined
          ? from
          : { ...from, aftermath: { ...from.aftermath, [name]: value } },
      0,
    ),
  );
}

function ofOp({ waitMs }: Op, at: number): readonly Simplification[] {
  const set = (schedule: Schedule, change: Partial<Op>): Schedule => ({
    ...schedule,
    ops: schedule.ops.map((op, i) => (i === at ? { ...op, ...change } : op)),
  });
  return [
    ofNumber(
      (from) => from.ops[at]?.atMs ?? 0,
      (from, atMs) => set(from, { atMs }),
      0,
    ),
    ofNumber(
      (from) => from.ops[at]?.holdMs ?? 0,
      (from, holdMs) => set(from, { holdMs }),
      0,
    ),
    ...(waitMs === undefined
      ? []
      : [
          ofNumber(
            (from) => from.ops[at]?.waitMs ?? 0,
            (from, changed) => set(from, { waitMs: changed }),
            0,
          ),
        ]),
    { candidates: (from) => (mayStopRenewing(from.ops[at]) ? [set(from, { renews: false })] : []) },
  ];
}

function ofRepointing(at: number): readonly Simplification[] {
  return (['atMs', 'ms'] as const).map((name) =>
    ofNumber(
      ({ repointings = [] }) => repointings[at]?.[name] ?? 0,
      (from, value) => ({
        ...from,
        repointings: (from.repointings ?? []).map((each, i) =>
          i === at ? { ...each, [name]: value } : each,
        ),
      }),
      REPOINTING[name].benign,
    ),
  );
}

function ofFault(fault: Fault, at: number, faults: FaultRegistry): readonly Simplification[] {
  const set = (schedule: Schedule, change: object): Schedule => ({
    ...schedule,
    faults: schedule.faults.map((each, i) => (i === at ? { ...each, ...change } : each)),
  });
  const { fields } = faults.get(fault.kind);
  const numbers = Object.entries(fields.numbers).filter(([name]) => name !== 'nodes');
  const simpler = numbers.map(([name, { benign }]) =>
    ofNumber(
      (from) => Number(Reflect.get(from.faults[at] ?? {}, name)),
      (from, value) => set(from, { [name]: value }),
      benign,
    ),
  );
  const ways = fields.oneWay !== undefined ? [{ candidates: bothWays(at) }] : [];
  const { when } = fault;
  if (when === undefined) return simpler;
  const name = 'atMs' in when ? 'atMs' : 'n';
  const timing = ofNumber(
    (from) => {
      const now = from.faults[at]?.when;
      return now === undefined ? 0 : Number(Reflect.get(now, name));
    },
    (from, value) => set(from, { when: { ...when, [name]: value } }),
    name === 'n' ? 1 : 0,
  );
  return [...ways, timing, ...simpler];
}

/** A cut both ways is simpler to describe than one that is one way alone. */
function bothWays(at: number): Simplification['candidates'] {
  return (from) => {
    const fault = from.faults[at];
    if (fault?.way === undefined) return [];
    const { way: _, ...both } = fault;
    return [{ ...from, faults: from.faults.map((each, i) => (i === at ? both : each)) }];
  };
}

function ofNumber(
  get: (schedule: Schedule) => number,
  set: (schedule: Schedule, value: number) => Schedule,
  benign: number,
): Simplification {
  return {
    benign,
    get,
    set,
    candidates: (from) => (get(from) === benign ? [] : [set(from, benign)]),
  };
}

/** A client that works for longer without renewing would be late without any fault. */
function mayStopRenewing(op: Op | undefined): boolean {
  return op?.renews === true && op.holdMs <= FIXED_HOLD_MS_MAX;
}
