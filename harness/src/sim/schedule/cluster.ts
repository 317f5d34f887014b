import type { RedisNode } from '@holdfast/redis/port';
import type { OpenSession } from '@holdfast/zk/port';
import type { Moment } from '../anchors.ts';
import type { StoredValue } from '../hold-log.ts';
import type { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import type { World } from '../world.ts';
import type { HoldState, LockKey, ServerHold } from './holds.ts';
import type { ClientId, Schedule } from './schedule.ts';
import type { StoreKeeper } from './store-cluster.ts';
import type { Subject } from './subject.ts';

/** One server, and what any server can suffer alike. */
export interface Member {
  readonly name: string;
  readonly isUp: boolean;
  /** When it goes on, where it stands still; the past where it does not. */
  readonly readyAtUs: number;
  stop(ms: number): void;
  crash(): void;
  restart(how: RestartOptions): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  /** Runs something right before or after the `n`-th call with this label that it executes. */
  anchor(moment: Moment, label: string, n: number, run: () => void): void;
}

/** What a lock finds of the servers, in one client's process. */
export interface ClientView {
  readonly nodes: readonly RedisNode[];
  /** Absent where they keep no sessions. */
  readonly openSession?: OpenSession;
}

/** When is asked what is left: one has given up and another holds; all has been given back; everybody has closed. */
export type LeftoverMoment = 'quit' | 'rest' | 'closed';

export interface LeftoverOptions {
  /** Those that are healthy. */
  readonly members: readonly Member[];
  /** Of whom something may be left. */
  readonly processes: readonly SimProcess[];
  /** Keys that the lock leaves on purpose; absent where nobody asks which are left. */
  readonly keeps?: ((key: string) => boolean) | undefined;
}

/** What servers saw in a run. */
export interface Observations {
  /** What reached the holds of others. */
  readonly touches: readonly KeyChange[];
  /** Every value that any server ever had under any key. */
  readonly storedValues: readonly StoredValue[];
  /** True if a server took the place of another. */
  readonly hasPromoted: boolean;
  /** True if a master was given up that had a key which its replica had not heard of. */
  readonly hasLostUnreplicated: boolean;
}

/**
 * The servers of one run, and the network between them and the clients: everything that a schedule, a fault or a judge
 * has to know of them. What only one kind of server has stays behind it; a verb that is absent can befall nobody there.
 */
export interface Cluster {
  readonly network: Network;
  /** Those that serve now. */
  readonly members: readonly Member[];
  /** By how much one that is asked may be behind the others, without any fault, in ms. */
  readonly lagMs: number;
  /** Whether who waits stands in a queue of the servers. */
  readonly hasQueue: boolean;
  /** Whether a client notices by itself that nothing comes any more on a connection. */
  readonly noticesSilence: boolean;
  view(process: SimProcess): ClientView;
  /** Those that serve now at the addresses of a mask. */
  serving(mask: number): readonly Member[];

  /**
   * Masters die before they have replicated, and their replicas take over after `ms`; a leader dies, with what it has not
   * told the others, and is back then.
   * @returns whom it struck
   */
  failover?(mask: number, ms: number): readonly string[];
  /** The same, but the old one lives on for those who `stay`. */
  splitBrain?(mask: number, ms: number, stay: readonly ClientId[]): readonly string[];
  /**
   * Servers are cut from each other.
   * @param way one way alone: nothing gets `out` of those of the mask, or nothing gets `in`
   */
  cutPeers?(mask: number, ms: number, way?: 'out' | 'in'): readonly string[];
  /** They go on, but take up what clients ask of them so much later; to each other they talk as before. */
  slow?(mask: number, byMs: number, ms: number): readonly string[];
  /** Addresses lead to the server of another for `ms`. Returns whether there is such a server. */
  repoint?(mask: number, ms: number, to: string): boolean;

  /** What the servers say of the hold that was granted with this owner value: asked here, and nowhere else. */
  holds(owner: string): HoldState;
  /** Whom each server took for the holder, one after the other; nothing where no trace is kept. */
  serverHolds(lock: LockKey): readonly ServerHold[];
  /** What judges want to know of the whole run. */
  observed(): Observations;
  /** What nobody needs any more and is still there, a sentence each. */
  leftovers(at: LeftoverMoment, options: LeftoverOptions): readonly string[];
  /** All that is stored, a line each; `number` makes equal what differs only by when it was. */
  contents(number: (value: string) => string): readonly string[];
}

/** A renewal, release or undo that changed a key while somebody else's value stood there. */
export interface KeyChange {
  /** True time. */
  readonly atMs: number;
  /** Whose command it was. */
  readonly client: string;
  /** As it is called in anchors and traces. */
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  /** Who had written what stood there; the same client, where it was another attempt of its own. */
  readonly of: string;
}

/** How a server comes back. */
export interface RestartOptions {
  /** What it still has: nothing, everything, or everything but the tail of its log. */
  readonly data: 'empty' | 'durable' | 'torn';
  /** With `torn`: how many of the last writes are gone. Default 1. */
  readonly lost?: number;
  /** How long it takes until it serves again; connections are refused meanwhile. Default 0. */
  readonly downMs?: number;
}

/**
 * Makes the servers that a lock asks for; only as many as it uses: a fault of the others could not matter.
 * @param keeper of the in-memory store, where there is one
 */
export type ClusterOf = (
  world: World,
  schedule: Schedule,
  subject: Subject,
  keeper?: StoreKeeper,
) => Cluster;
