import { USUAL_ENSEMBLE } from './schedule.ts';

/** The range of a number in a schedule, and its least harmful value. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly benign: number;
  /** Set if it may be a fraction, to the µs; whole otherwise. */
  readonly inUs?: true;
}

/** Returns true if a clock can show this number of ms. */
export function isWholeUs(ms: number): boolean {
  return Math.round(ms * 1000) / 1000 === ms;
}

/** Far more than any schedule needs; more is a mistake, or an attempt to keep a machine busy. */
const MS_MAX = 86_400_000;
const NODES_MAX = 9;
export const LAST = 1_000;

export const LASTING: Range = { min: 0, max: MS_MAX, benign: 0 };
export const SIGNED: Range = { min: -MS_MAX, max: MS_MAX, benign: 0 };
export const NTH: Range = { min: 1, max: LAST, benign: 1 };
export const MASK: Range = { min: 1, max: 2 ** NODES_MAX - 1, benign: 1 };

type Ranges<N extends string> = Readonly<Record<N, Range>>;

/** Numbers of the setup. */
export const SETUP: Ranges<
  'ttlMs' | 'latencyMs' | 'nodes' | 'replicas' | 'lagMs' | 'replicaClockMs'
> = {
  ttlMs: { min: 100, max: MS_MAX, benign: 1_000 },
  latencyMs: { min: 0, max: 1_000, benign: 1 },
  nodes: { min: 1, max: NODES_MAX, benign: 1 },
  replicas: { min: 0, max: 1, benign: 0 },
  lagMs: { min: 0, max: 60_000, benign: 0 },
  // Two clocks that agree are never a whole number of ms apart, as all other times here are.
  replicaClockMs: { ...SIGNED, inUs: true },
};

/** Attempts made in vain: far more than any backend could confuse. */
export const ATTEMPTS: Range = { min: 0, max: 1_000, benign: 0 };

/** Numbers of an ensemble: a server grants sessions of 2 to 20 ticks. */
export const ENSEMBLE: Ranges<'ticks' | 'syncLimit' | 'reapMs'> = {
  ticks: { min: 2, max: 20, benign: USUAL_ENSEMBLE.ticks },
  syncLimit: { min: 1, max: 50, benign: USUAL_ENSEMBLE.syncLimit },
  reapMs: { min: 1, max: MS_MAX, benign: USUAL_ENSEMBLE.reapMs },
};

/** Numbers of an aftermath; its mask may be empty. */
export const AFTERMATH: Ranges<'atMs' | 'nodes' | 'apartMs'> = {
  atMs: LASTING,
  nodes: { min: 0, max: 2 ** NODES_MAX - 1, benign: 0 },
  apartMs: { min: 0, max: 1_000, benign: 0 },
};

/** Numbers of an operation. */
export const OP: Ranges<'id' | 'atMs' | 'holdMs'> = {
  id: { min: 0, max: 10_000, benign: 0 },
  atMs: LASTING,
  holdMs: LASTING,
};

/** Numbers of a re-pointing. */
export const REPOINTING: Ranges<'nodes' | 'atMs' | 'ms'> = {
  nodes: MASK,
  atMs: LASTING,
  ms: LASTING,
};

export const OPS_MAX: number = 100;
export const FAULTS_MAX: number = 100;
export const CHOICES_MAX: number = 1_000;

/** Numbers of an anchor. */
export const WHEN: Ranges<'atMs' | 'n'> = { atMs: LASTING, n: NTH };

/** The fields of a fault besides its kind. `client?` and `nodes?`: exactly one of the two. */
export interface FaultFields {
  readonly client?: true;
  readonly either?: true;
  readonly when?: true;
  readonly label?: true;
  readonly stay?: true;
  readonly way?: readonly string[];
  /** The ways of a cut that is both ways if it names none. */
  readonly oneWay?: readonly string[];
  readonly numbers: Readonly<Record<string, Range>>;
}
