import type { RedisNode } from '@holdfast/redis/port';
import type { AnchorMoment } from '../anchors.ts';
import type { StoredValue } from '../hold-log.ts';
import type { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import type { World } from '../world.ts';
import type { HoldState, LockKey, ServerHold } from './holds.ts';
import type { Ports } from './ports.ts';
import type { ClientId, Schedule } from './schedule.ts';
import type { StoreKeeper } from './store-cluster.ts';
import type { Subject } from './subject.ts';

/** One server, with the faults that any server can have. */
export interface Member {
  readonly name: string;
  readonly isUp: boolean;
  /** The time at which it resumes, if it is paused; in the past if it is not. */
  readonly readyAtUs: number;
  stop(ms: number): void;
  crash(): void;
  restart(how: RestartOptions): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  /** Runs a callback right before or after the `n`-th call with this label that it executes. */
  anchor(moment: AnchorMoment, label: string, n: number, run: () => void): void;
}

/** The servers as a lock sees them, in one client's process: Redis nodes, or another port. */
export interface ClientView extends Partial<Ports> {
  readonly nodes: readonly RedisNode[];
}

/**
 * The moment of a check for leftovers: one client has given up and another holds; all locks are released; all clients
 * have closed.
 */
export type LeftoverMoment = 'quit' | 'rest' | 'closed';

export interface LeftoverOptions {
  /** The healthy servers. */
  readonly members: readonly Member[];
  /** The processes whose leftovers are reported. */
  readonly processes: readonly SimProcess[];
  /** Returns true for keys that the lock leaves on purpose; absent if leftover keys are not checked. */
  readonly keeps?: ((key: string) => boolean) | undefined;
}

/** The servers' observations of a run. */
export interface Observations {
  /** Commands that changed the holds of other clients. */
  readonly touches: readonly KeyChange[];
  /** Every value that any server ever stored under any key. */
  readonly storedValues: readonly StoredValue[];
  /** True if a server was promoted in place of another. */
  readonly hasPromoted: boolean;
  /** True if a failed master had a key that was not replicated yet. */
  readonly hasLostUnreplicated: boolean;
}

/**
 * The servers of one run, and the network between them and the clients. A schedule, a fault or a judge needs to know
 * no more of them. Details of one kind of server are hidden behind it. A verb that is absent is a fault that this
 * kind cannot have.
 */
export interface Cluster {
  readonly network: Network;
  /** The servers that serve now. */
  readonly members: readonly Member[];
  /** Longest lag of a server behind the others, without any fault, in ms. */
  readonly lagMs: number;
  /** True if waiters queue on the servers. */
  readonly hasQueue: boolean;
  /** True if a client detects by itself that a connection has gone silent. */
  readonly noticesSilence: boolean;
  view(process: SimProcess): ClientView;
  /** Returns the servers that serve now at the addresses of a mask. */
  serving(mask: number): readonly Member[];

  /**
   * Crashes masters before they have replicated, and promotes their replicas after `ms`. A leader crashes with
   * everything it has not sent to the others, and is back then.
   * @returns the names of the affected servers
   */
  failover?(mask: number, ms: number): readonly string[];
  /** Promotes replicas as {@link failover} does, but the old master stays alive for the clients that `stay`. */
  splitBrain?(mask: number, ms: number, stay: readonly ClientId[]): readonly string[];
  /**
   * Cuts servers from each other.
   * @param way one way alone: nothing gets `out` of the servers of the mask, or nothing gets `in`
   */
  cutPeers?(mask: number, ms: number, way?: 'out' | 'in'): readonly string[];
  /** Makes servers execute clients' requests so much later; servers talk to each other as before. */
  slow?(mask: number, byMs: number, ms: number): readonly string[];
  /** Makes addresses lead to the server of another node for `ms`. Returns true if there is such a server. */
  repoint?(mask: number, ms: number, to: string): boolean;

  /** Returns the servers' state of the hold that was granted with this owner value. The only place to read it. */
  holds(owner: string): HoldState;
  /** Returns the holder that each server saw, one after the other; empty if no trace is kept. */
  serverHolds(lock: LockKey): readonly ServerHold[];
  /** Returns the observations for judges, of the whole run. */
  observed(): Observations;
  /** Returns stored data that is no longer needed, a sentence each. */
  leftovers(at: LeftoverMoment, options: LeftoverOptions): readonly string[];
  /** Returns all stored data, a line each. `number` makes values equal that differ only by their time. */
  contents(number: (value: string) => string): readonly string[];
}

/** A renewal, release or undo that changed a key while it stored another owner's value. */
export interface KeyChange {
  /** True time. */
  readonly atMs: number;
  /** The client that sent the command. */
  readonly client: string;
  /** The label of anchors and traces. */
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  /** The client that had written the stored value; the same client if it was another attempt of its own. */
  readonly of: string;
}

/** The way a server restarts. */
export interface RestartOptions {
  /** The data it still has: nothing, everything, or everything but the tail of its log. */
  readonly data: 'empty' | 'durable' | 'torn';
  /** With `torn`: number of the last writes that are lost. Default 1. */
  readonly lost?: number;
  /** Time until it serves again; it refuses connections meanwhile. Default 0. */
  readonly downMs?: number;
}

/**
 * Makes the servers that a lock needs, and no more: a fault of others could not matter.
 * @param keeper of the in-memory store, if there is one
 */
export type ClusterOf = (
  world: World,
  schedule: Schedule,
  subject: Subject,
  keeper?: StoreKeeper,
) => Cluster;
