import type { FaultId } from '@holdfast/core';
import { type FaultKind, ONE_WAY, USUAL_ENSEMBLE } from './schedule.ts';

/** What a number of a schedule may be, and which value does the least harm. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly benign: number;
  /** Whether it may be a fraction, to the µs; whole otherwise. */
  readonly inUs?: true;
}

/** Whether a number of ms is one that a clock can show. */
export function isWholeUs(ms: number): boolean {
  return Math.round(ms * 1000) / 1000 === ms;
}

/** Far more than any schedule needs; beyond it is a mistake, or somebody who wants to keep a machine busy. */
const MS_MAX = 86_400_000;
const NODES_MAX = 9;
const LAST = 1_000;

const lasting: Range = { min: 0, max: MS_MAX, benign: 0 };
const signed: Range = { min: -MS_MAX, max: MS_MAX, benign: 0 };
const nth: Range = { min: 1, max: LAST, benign: 1 };
const mask: Range = { min: 1, max: 2 ** NODES_MAX - 1, benign: 1 };

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
  // Two clocks that agree are never a whole number of ms apart, as everything else here is.
  replicaClockMs: { ...signed, inUs: true },
};

/** How many attempts may have been made in vain: far more than any backend could confuse. */
export const ATTEMPTS: Range = { min: 0, max: 1_000, benign: 0 };

/** Numbers of an ensemble: a server grants sessions of 2 to 20 ticks. */
export const ENSEMBLE: Ranges<'ticks' | 'syncLimit' | 'reapMs'> = {
  ticks: { min: 2, max: 20, benign: USUAL_ENSEMBLE.ticks },
  syncLimit: { min: 1, max: 50, benign: USUAL_ENSEMBLE.syncLimit },
  reapMs: { min: 1, max: MS_MAX, benign: USUAL_ENSEMBLE.reapMs },
};

/** Numbers of an aftermath; its mask may be empty. */
export const AFTERMATH: Ranges<'atMs' | 'nodes' | 'apartMs'> = {
  atMs: lasting,
  nodes: { min: 0, max: 2 ** NODES_MAX - 1, benign: 0 },
  apartMs: { min: 0, max: 1_000, benign: 0 },
};

export const AFTERMATH_HOLD: Range = lasting;

/** Numbers of an operation. */
export const OP: Ranges<'id' | 'atMs' | 'holdMs'> = {
  id: { min: 0, max: 10_000, benign: 0 },
  atMs: lasting,
  holdMs: lasting,
};

/** Numbers of a re-pointing. */
export const REPOINTING: Ranges<'nodes' | 'atMs' | 'ms'> = {
  nodes: mask,
  atMs: lasting,
  ms: lasting,
};

/** For how long an operation waits, where it does not wait for as long as it takes. */
export const OP_WAIT: Range = lasting;

export const OPS_MAX: number = 100;
export const FAULTS_MAX: number = 100;
export const CHOICES_MAX: number = 1_000;

/** Numbers of an anchor. */
export const WHEN: Ranges<'atMs' | 'n'> = { atMs: lasting, n: nth };

/** What a fault says besides its kind. `client?` and `nodes?`: exactly one of the two. */
export interface Fields {
  readonly client?: true;
  readonly either?: true;
  readonly when?: true;
  readonly label?: true;
  readonly stay?: true;
  readonly way?: readonly string[];
  /** Of a cut that is both ways where it says nothing. */
  readonly oneWay?: readonly string[];
  readonly numbers: Readonly<Record<string, Range>>;
}

const ofClient: Fields = { client: true, when: true, numbers: { ms: lasting } };
const ofNodes: Fields = { when: true, numbers: { nodes: mask, ms: lasting } };
const ofMessage: Fields = {
  client: true,
  label: true,
  way: ['request', 'reply'],
  numbers: { nodes: mask, n: nth, ms: lasting },
};

/** Every kind of fault, and what it consists of: for the parser, the minimiser and the docs. */
export const FIELDS: Readonly<Record<FaultKind, Fields>> = {
  delay: ofMessage,
  reorder: ofMessage,
  'lost-reply': { client: true, label: true, numbers: { nodes: mask, n: nth } },
  pause: ofClient,
  'pause-acquire': ofClient,
  'loop-block': ofClient,
  'client-clock': { client: true, when: true, numbers: { ms: signed } },
  drift: { either: true, numbers: { ppm: { min: -500_000, max: 500_000, benign: 0 } } },
  'server-clock-forward': ofNodes,
  'server-clock-back': ofNodes,
  'server-stop': ofNodes,
  'restart-empty': ofNodes,
  'restart-durable': ofNodes,
  'torn-log': { when: true, numbers: { nodes: mask, ms: lasting, writes: nth } },
  failover: ofNodes,
  'split-brain': { when: true, stay: true, numbers: { nodes: mask, ms: lasting } },
  'client-cut': {
    client: true,
    when: true,
    way: ['both', 'request', 'reply'],
    numbers: { nodes: mask, ms: lasting },
  },
  'peer-cut': { ...ofNodes, oneWay: ONE_WAY },
  'majority-down': ofNodes,
  'holder-crash': { client: true, when: true, numbers: {} },
  'lost-wakeup': { client: true, numbers: { nodes: mask, n: nth } },
  swizzle: {
    when: true,
    numbers: {
      nodes: mask,
      ms: lasting,
      gapMs: lasting,
      order: { min: 0, max: LAST, benign: 0 },
    },
  },
  suspend: ofClient,
};

/** Kinds that only strike a pair of master and replica. */
export const NEEDS_REPLICA: ReadonlySet<FaultKind> = new Set([
  'failover',
  'split-brain',
  'peer-cut',
]);

/** Kinds that strike messages of a lock, where none of them names a server. */
const OF_MESSAGES: ReadonlySet<FaultId> = new Set(['delay', 'lost-reply', 'lost-wakeup']);

/** Whether a fault strikes servers, cuts them off, or befalls messages to and from them, so that there have to be some. */
export function needsServers(kind: FaultId): boolean {
  if (kind === 'none') return false;
  const { when, numbers } = FIELDS[kind];
  return OF_MESSAGES.has(kind) || (when === true && 'nodes' in numbers);
}

export function isFaultKind(kind: string): kind is FaultKind {
  return Object.hasOwn(FIELDS, kind);
}
