import {
  type Backend,
  createHost,
  createLocks,
  type Host,
  type MemoryLink,
  MemoryStore,
} from '@holdfast/core/backend';
import type * as redisClient from '@holdfast/redis/links';
import type { RedisNode } from '@holdfast/redis/port';
import type { openSessions } from '@holdfast/zk/network';
import type { OpenSession } from '@holdfast/zk/port';
import type { LivenessBounds } from './liveness-bounds.ts';

/** The surroundings of a lock in a simulated world, as seen from one client's process. */
export interface SubjectEnv {
  /** The first of {@link nodes}. */
  readonly node: RedisNode;
  readonly nodes: readonly RedisNode[];
  /** Opens sessions of the ensemble; they request the schedule's ttl as their timeout. */
  readonly openSession: OpenSession;
  /** For the in-memory backend: its store, on a machine of its own, and the link to it. */
  readonly store: MemoryStore;
  readonly link: MemoryLink;
}

/** The parts of core that a run needs, so that a mutant's can take their place. */
export interface SubjectCore {
  readonly createHost: typeof createHost;
  readonly createLocks: typeof createLocks;
  readonly MemoryStore: typeof MemoryStore;
}

/** A lock under test. */
export interface Subject {
  readonly name: string;
  /** Absent for the control, which writes without any lock. */
  readonly open?: (env: SubjectEnv, host: Host) => Promise<Backend>;
  /** Number of independent addresses that it uses, or of servers of its ensemble; 0 for locks without servers. */
  readonly nodes: number;
  /** True if they are the servers of one ZooKeeper ensemble; otherwise they are Redis nodes. */
  readonly ensemble?: boolean;
  /** What leads clients to its Redis server; by default an address that always does. */
  readonly topology?: Topology;
  /** True if its leases are renewed; otherwise no client can work for longer than the ttl. */
  readonly renews: boolean;
  /** Longest work without renewal, as a share of the ttl; by default as much as most locks allow. */
  readonly fixedShare?: number;
  /** True if its grants carry fencing tokens. */
  readonly tokens: boolean;
  /**
   * The labels of its commands and scripts for the protocol points `acquire`, `renew` and `release` of a schedule, if
   * they differ.
   */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  /** Protocol points to aim faults at; `acquire`, `renew` and `release` by default. */
  readonly points?: readonly string[];
  /** True if some clients work until the loss is reported although they do not renew, if messages are late anyway. */
  readonly overruns?: boolean;
  /** Other requests that it sends, by command or script; faults are aimed at them less often. */
  readonly requests?: readonly string[];
  /** True if every timer of a process ends with its operations, because no release is pending in the background. */
  readonly tidy?: boolean;
  readonly core?: SubjectCore;
  /** Opens its ZooKeeper sessions, so that a mutant's client can take its place; by default the client that ships. */
  readonly openSessions?: typeof openSessions;
  /** The bounds of its waits in an aftermath; by default those that most locks need. */
  readonly patience?: LivenessBounds;
  /**
   * Present if its waiters queue on a Redis server. Returns the contender whose place in the queue a member of a sorted set
   * is; undefined for other members.
   */
  readonly waiterOf?: (member: string) => string | undefined;
  /** Returns true for keys that it leaves on purpose, such as counters; absent if leftover keys are not checked. */
  readonly keeps?: (key: string) => boolean;
}

/** What leads clients to a Redis server. */
export interface Topology {
  readonly kind: 'sentinels' | 'cluster';
  /** True if clients come after a failover of which one sentinel and the old master have not heard. */
  readonly isSplit?: boolean;
  /** True if the slots of a cluster move from node to node all the time. */
  readonly moves?: boolean;
  /** The client code that follows it, so that a mutant's can take its place; by default what ships. */
  readonly client?: typeof redisClient;
}

export const SUBJECT_CORE: SubjectCore = { createHost, createLocks, MemoryStore };

/** Returns the labels of its renewals. */
export function renewalsOf({ labels }: Subject): readonly string[] {
  return labels?.['renew'] ?? ['renew'];
}

/** The parts that exist. */
export interface EnvParts extends Omit<SubjectEnv, 'node' | 'openSession'> {
  readonly openSession?: OpenSession | undefined;
}

/**
 * The surroundings of a lock in one client's process. A class, because V8 keeps the getters of an object literal in
 * tables of its own. With them the whole run survived all young collections, which took a quarter of a search's time.
 */
export class ClientEnv implements SubjectEnv {
  readonly nodes: readonly RedisNode[];
  readonly store: MemoryStore;
  readonly link: MemoryLink;
  readonly #lock: string;
  readonly #openSession: OpenSession | undefined;

  constructor(lock: string, { nodes, openSession, store, link }: EnvParts) {
    this.nodes = nodes;
    this.#openSession = openSession;
    this.store = store;
    this.link = link;
    this.#lock = lock;
  }

  get openSession(): OpenSession {
    if (this.#openSession !== undefined) return this.#openSession;
    throw new Error(
      `${this.#lock} opens a session, but declares no ensemble; declare ensemble: true`,
    );
  }

  get node(): RedisNode {
    const [first] = this.nodes;
    if (first !== undefined) return first;
    throw new Error(`${this.#lock} uses a node, but declares none; declare how many nodes it uses`);
  }
}
