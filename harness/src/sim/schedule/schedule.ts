import type { FaultId } from '@holdfast/core';

/** A client is one small letter, `a` to `z`; a node is `n1`, `n2`, … */
export type ClientId = string;

/**
 * All that happens in one run, as plain data: flat, absolute, and smaller is simpler, with 0 or 1 for the benign
 * value. Replays never rest on seeds, which mean something else as soon as a generator changes. The shape is
 * documented in docs/reference/schedule-format.md.
 */
export interface Schedule {
  readonly v: 1;
  /** Of every lease, in ms. */
  readonly ttlMs: number;
  /** How long each message takes, one way. */
  readonly latencyMs: number;
  /** How many independent Redis addresses there are; a backend on a single one uses the first. */
  readonly nodes: number;
  /** How many replicas stand behind each address: none or one. */
  readonly replicas: number;
  /** By how much a replica is behind its master, or a follower behind what was committed. */
  readonly lagMs: number;
  /** By how much the wall clock of a replica is ahead of its master's; negative is behind. */
  readonly replicaClockMs: number;
  /** How the ensemble is configured, where the lock uses one; absent where it is as usual, {@link USUAL_ENSEMBLE}. */
  readonly ensemble?: EnsembleSetup;
  /** Clients that open their lock only when their first operation begins; absent where all have done so before. */
  readonly newcomers?: string;
  /** How many attempts every contender has made in vain before its first; absent for none. */
  readonly attempts?: number;
  readonly ops: readonly Op[];
  readonly faults: readonly Fault[];
  /** The order of all steps, of one round of each client; times are of no account then. See docs/reference/schedule-format.md. */
  readonly choices?: readonly string[];
  /** When clients close their locks, whatever they hold or wait for; absent where nobody does. */
  readonly closings?: readonly Moment[];
  /** When the collector of a client runs; absent where none does. */
  readonly collections?: readonly Moment[];
  /** When Redis addresses lead to the server of another; absent where none does. */
  readonly repointings?: readonly Repointing[];
  /** Absent where nobody asks what becomes of it all. */
  readonly aftermath?: Aftermath;
}

/** What decides which times of an ensemble are long and which are short: ratios, as in zoo.cfg. */
export interface EnsembleSetup {
  /** How many ticks a session's timeout, which is the ttl, is long; two are the fewest that a server grants. */
  readonly ticks: number;
  /** After so many ticks of silence a leader and a follower give each other up. */
  readonly syncLimit: number;
  /** How often the leader deletes the containers that are empty. */
  readonly reapMs: number;
}

/** As in ZooKeeper's sample configuration, with the shortest session that it grants. */
export const USUAL_ENSEMBLE: EnsembleSetup = { ticks: 2, syncLimit: 5, reapMs: 60_000 };

/**
 * What stays broken for good once the faults are over. Progress is then demanded of everybody else, and that nothing is
 * left behind: random faults keep healing, and hide whoever waits for ever.
 */
export interface Aftermath {
  /** From then on nothing strikes any more; what has struck runs its course, and then comes the aftermath. */
  readonly atMs: number;
  /** A mask of fewer than half of the nodes, which never recover; 0 is none. */
  readonly nodes: number;
  readonly how: PermanentFault;
  /** Clients that stand still for good. */
  readonly still: string;
  /** By how much every client is further from all nodes but those next to it. */
  readonly apartMs: number;
  /** For how long each client holds as the key is handed over; absent for half of the ttl. */
  readonly holdMs?: number;
}

/** Dead; standing still; cut from everybody; so slow that every answer comes too late. */
export type PermanentFault = (typeof PERMANENT_FAULTS)[number];
export const PERMANENT_FAULTS = ['down', 'stopped', 'cut', 'slow'] as const;

/** Something that a client does once. */
export interface Moment {
  readonly client: ClientId;
  readonly atMs: number;
}

/**
 * Addresses that lead to the server of another node for `ms`, as when a proxy or a name is re-pointed: connections through
 * them are reset then, and once more when they are pointed back. The last of several for one address counts.
 */
export interface Repointing {
  /** A mask. */
  readonly nodes: number;
  /** The name of the node whose server they lead to. */
  readonly to: string;
  readonly atMs: number;
  readonly ms: number;
}

/**
 * How an application uses its lease, where it is not the usual way. `body`: it is the body of a `use` that heeds no signal.
 * `leader`: it keeps nothing but a listener to the signal of its lease, leads until that is called or its time is over, and
 * then closes its locks.
 */
export type AcquireMode = (typeof ACQUIRE_MODES)[number];
export const ACQUIRE_MODES = ['body', 'leader'] as const;

/** A client asks for the key at `atMs`, works for `holdMs`, and gives it back; the lease is a fixed one, or renewed. */
export interface Op {
  /** Stable: it stays when other operations are taken away. */
  readonly id: number;
  readonly client: ClientId;
  readonly atMs: number;
  readonly holdMs: number;
  readonly renews: boolean;
  readonly as?: AcquireMode;
  /** For how long it waits at most; absent where it waits for as long as it takes. */
  readonly waitMs?: number;
}

/**
 * At a true time, or right before or after the `n`-th call of a kind. Of a client: the call it makes (labels are
 * commands, scripts, `read`, `write`, `now`, `timer`). Of a node: the call it executes.
 */
export type When =
  | { readonly atMs: number }
  | { readonly before: string; readonly n: number; readonly by: string }
  | { readonly after: string; readonly n: number; readonly by: string };

export type Way = 'request' | 'reply';

/**
 * Something that goes wrong: flat, its `kind` the fault's id. Which fields there are besides is for each fault to say; these
 * are what the schedule itself has to know of.
 */
export interface Fault {
  readonly kind: FaultId;
  /** Whom it strikes. */
  readonly client?: ClientId;
  /** The servers that it strikes: a mask, bit 0 is `n1`. */
  readonly nodes?: number;
  readonly when?: When;
  /** Which message, and which of them. */
  readonly label?: string;
  readonly way?: string;
  readonly n?: number;
  /** Clients that it leaves where they are. */
  readonly stay?: string;
  /** How long it lasts, or how far a clock jumps. */
  readonly ms?: number;
  readonly [field: string]: string | number | When | undefined;
}

/** The clients that take part, in order of their letters. */
export function clientsOf({ ops }: Pick<Schedule, 'ops'>): readonly ClientId[] {
  return [...new Set(ops.map(({ client }) => client))].toSorted();
}

/** The clients of a list written as one text, each of them a letter. */
export function clientIdsIn(clients: string): readonly ClientId[] {
  return Array.from(clients);
}

/** The nodes of a mask, from 0. */
export function nodesIn(mask: number): readonly number[] {
  const nodes: number[] = [];
  for (let node = 0; 1 << node <= mask; node++) if ((mask & (1 << node)) !== 0) nodes.push(node);
  return nodes;
}

/** As it is called in anchors, traces and drawings. */
export function nodeName(node: number): string {
  return `n${node + 1}`;
}

export function replicaName(node: number): string {
  return `${nodeName(node)}-replica`;
}
