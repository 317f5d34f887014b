import type { FaultId } from '@holdfast/core/backend';

/** A client is one small letter, `a` to `z`; a node is `n1`, `n2`, … */
export type ClientId = string;

/**
 * All events of one run, as plain data: flat, absolute, and smaller is simpler, with 0 or 1 for the benign value.
 * Replays never depend on seeds, whose meaning changes with every change of a generator. The shape is documented in
 * docs/reference/schedule-format.md.
 */
export interface Schedule {
  readonly v: 1;
  /** Of every lease, in ms. */
  readonly ttlMs: number;
  /** Latency of each message, one way. */
  readonly latencyMs: number;
  /** Number of independent Redis addresses; a backend on a single one uses the first. */
  readonly nodes: number;
  /** Number of replicas behind each address: none or one. */
  readonly replicas: number;
  /** Lag of a replica behind its master, or of a follower behind committed changes. */
  readonly lagMs: number;
  /** Lead of a replica's wall clock over its master's; negative is behind. */
  readonly replicaClockMs: number;
  /** The configuration of the ensemble, if the lock uses one; absent for the usual one, {@link USUAL_ENSEMBLE}. */
  readonly ensemble?: EnsembleSetup;
  /** Clients that open their lock only when their first operation begins; absent if all have done so before. */
  readonly newcomers?: string;
  /** Number of attempts that every contender has made in vain before its first; absent for none. */
  readonly attempts?: number;
  readonly ops: readonly Op[];
  readonly faults: readonly Fault[];
  /**
   * The order of all steps, of one round of each client; times have no meaning then. See
   * docs/reference/schedule-format.md.
   */
  readonly choices?: readonly string[];
  /** The times at which clients close their locks, even while they hold or wait; absent if no client does. */
  readonly closings?: readonly ClientAction[];
  /** The times at which the collector of a client runs; absent if none does. */
  readonly collections?: readonly ClientAction[];
  /** The times at which Redis addresses lead to the server of another node; absent if none does. */
  readonly repointings?: readonly Repointing[];
  /** Absent if liveness is not checked. */
  readonly aftermath?: Aftermath;
}

/** The ratios that decide which times of an ensemble are long and which are short, as in zoo.cfg. */
export interface EnsembleSetup {
  /** A session's timeout, which is the ttl, in ticks; a server grants two or more. */
  readonly ticks: number;
  /** A leader and a follower disconnect from each other after so many ticks of silence. */
  readonly syncLimit: number;
  /** The interval at which the leader deletes empty containers. */
  readonly reapMs: number;
}

/** As in ZooKeeper's sample configuration, with the shortest session that it grants. */
export const USUAL_ENSEMBLE: EnsembleSetup = { ticks: 2, syncLimit: 5, reapMs: 60_000 };

/**
 * The nodes and clients that stay broken once the faults are over. All others must then make progress, and leave
 * nothing behind. Random faults keep healing, and would hide a client that waits without end.
 */
export interface Aftermath {
  /**
   * The last time at which a fault may be injected. Faults injected before run their course; then the aftermath
   * begins.
   */
  readonly atMs: number;
  /** A mask of fewer than half of the nodes, which never recover; 0 is none. */
  readonly nodes: number;
  readonly how: PermanentFault;
  /** Clients that are paused and never resume. */
  readonly still: string;
  /** Added distance of every client from all nodes but those next to it. */
  readonly apartMs: number;
  /** The hold of each client while the key is handed over; absent for half of the ttl. */
  readonly holdMs?: number;
}

/** Crashed; paused; cut from all clients and servers; so slow that every reply comes too late. */
export type PermanentFault = (typeof PERMANENT_FAULTS)[number];
export const PERMANENT_FAULTS = ['down', 'stopped', 'cut', 'slow'] as const;

/** An action that a client does once. */
export interface ClientAction {
  readonly client: ClientId;
  readonly atMs: number;
}

/**
 * Addresses that lead to the server of another node for `ms`, as when a proxy or a name is re-pointed. Connections
 * through them are reset then, and once more when they are pointed back. The last re-pointing of an address counts.
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
 * The application's use of its lease, if it is unusual. `body`: the body of a `use` that heeds no signal. `leader`:
 * it keeps nothing but a listener to the signal of its lease. It leads until that is called or its time is over, and
 * then closes its locks.
 */
export type AcquireMode = (typeof ACQUIRE_MODES)[number];
export const ACQUIRE_MODES = ['body', 'leader'] as const;

/** A client requests the key at `atMs`, works for `holdMs`, and releases it; its lease is fixed, or renewed. */
export interface Op {
  /** Stable: it stays when other operations are removed. */
  readonly id: number;
  readonly client: ClientId;
  readonly atMs: number;
  readonly holdMs: number;
  readonly renews: boolean;
  readonly as?: AcquireMode;
  /** Longest wait; absent if it waits for as long as it takes. */
  readonly waitMs?: number;
}

/**
 * A true time, or right before or after the `n`-th call of a kind. Of a client: the call it makes (labels are
 * commands, scripts, `read`, `write`, `now`, `timer`). Of a node: the call it executes.
 */
export type When =
  | { readonly atMs: number }
  | { readonly before: string; readonly n: number; readonly by: string }
  | { readonly after: string; readonly n: number; readonly by: string };

export type Way = 'request' | 'reply';

/**
 * A fault of a schedule: flat, its `kind` the fault's id. Each fault defines its own fields; these are the fields
 * that the schedule itself uses.
 */
export interface Fault {
  readonly kind: FaultId;
  /** The affected client. */
  readonly client?: ClientId;
  /** The affected servers: a mask, bit 0 is `n1`. */
  readonly nodes?: number;
  readonly when?: When;
  /** The label of the affected message, and its number. */
  readonly label?: string;
  readonly way?: string;
  readonly n?: number;
  /** Clients that stay connected to the old server. */
  readonly stay?: string;
  /** Duration, or distance of a clock's jump. */
  readonly ms?: number;
  readonly [field: string]: string | number | When | undefined;
}

/** Returns the clients that take part, in the order of their letters. */
export function clientsOf({ ops }: Pick<Schedule, 'ops'>): readonly ClientId[] {
  return [...new Set(ops.map(({ client }) => client))].toSorted();
}

/** Returns the clients of a list that is written as one text, a letter each. */
export function clientIdsIn(clients: string): readonly ClientId[] {
  return Array.from(clients);
}

/** Returns the nodes of a mask, from 0. */
export function nodesIn(mask: number): readonly number[] {
  const nodes: number[] = [];
  for (let node = 0; 1 << node <= mask; node++) if ((mask & (1 << node)) !== 0) nodes.push(node);
  return nodes;
}

/** Returns a node's name in anchors, traces and drawings. */
export function nodeName(node: number): string {
  return `n${node + 1}`;
}

export function replicaName(node: number): string {
  return `${nodeName(node)}-replica`;
}
