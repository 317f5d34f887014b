import {
  type Backend,
  createHost,
  createLocks,
  type Host,
  type MemoryLink,
  MemoryStore,
} from '@holdfast/core';
import type { RedisNode } from '@holdfast/redis/port';
import type { openSessions } from '@holdfast/zk/network';
import type { OpenSession } from '@holdfast/zk/port';
import type { LivenessBounds } from './liveness-bounds.ts';

/** What a lock finds in a simulated world, as seen from one client's process. */
export interface SubjectEnv {
  /** The first of {@link nodes}. */
  readonly node: RedisNode;
  readonly nodes: readonly RedisNode[];
  /** Opens sessions of the ensemble, which ask for the schedule's ttl as their timeout. */
  readonly openSession: OpenSession;
  /** For the in-memory backend: its store, on a machine of its own, and the way there. */
  readonly store: MemoryStore;
  readonly link: MemoryLink;
}

/** The parts of core that a run needs, so that a mutant's can take their place. */
export interface SubjectCore {
  readonly createHost: typeof createHost;
  readonly createLocks: typeof createLocks;
  readonly MemoryStore: typeof MemoryStore;
}

/** A lock on trial. */
export interface Subject {
  readonly name: string;
  /** Absent for the control, which writes without any lock. */
  readonly open?: (env: SubjectEnv, host: Host) => Promise<Backend>;
  /** How many independent addresses it spreads over, or how many servers its ensemble has; 0 for what uses none. */
  readonly nodes: number;
  /** Whether those are the servers of one ZooKeeper ensemble; otherwise they are Redis nodes. */
  readonly ensemble?: boolean;
  /** Whether its leases are renewed; otherwise nobody can work for longer than the ttl. */
  readonly renews: boolean;
  /** For how long people work who do not renew, as a share of the ttl at most; what most locks allow by default. */
  readonly fixedShare?: number;
  /** Whether its grants carry fencing tokens. */
  readonly tokens: boolean;
  /**
   * What the protocol points `acquire`, `renew` and `release` of a schedule are called on the wire, where that is
   * something else: the labels of its commands and scripts.
   */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  /** Protocol points to aim faults at; `acquire`, `renew` and `release` by default. */
  readonly points?: readonly string[];
  /** Whether some work until they are told to stop although nobody renews, where messages are late anyway. */
  readonly overruns?: boolean;
  /** What else it sends, by command or script: faults strike there, too, less often. */
  readonly requests?: readonly string[];
  /** Whether every timer of a process ends with the operations there, because nothing is owed in the background. */
  readonly tidy?: boolean;
  readonly core?: SubjectCore;
  /** Opens its ZooKeeper sessions, so that a mutant's can take its place; by default the client that ships. */
  readonly openSessions?: typeof openSessions;
  /** How long its waiters may have to wait in an aftermath; what most locks need by default. */
  readonly patience?: LivenessBounds;
  /** Keys that it leaves on purpose, such as counters; without, nobody asks which keys are left. */
  readonly keeps?: (key: string) => boolean;
}

export const SUBJECT_CORE: SubjectCore = { createHost, createLocks, MemoryStore };

/** The labels of its renewals. */
export function renewalsOf({ labels }: Subject): readonly string[] {
  return labels?.['renew'] ?? ['renew'];
}

/** What there is of it. */
export interface EnvParts extends Omit<SubjectEnv, 'node' | 'openSession'> {
  readonly openSession?: OpenSession | undefined;
}

/**
 * What a lock finds in one client's process. A class, because V8 keeps the getters of an object literal in tables of its
 * own, and with them the whole run, beyond all young collections: that took a quarter of a search's time.
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
    throw new Error(`${this.#lock} asks for an ensemble, and does not say that it uses one`);
  }

  get node(): RedisNode {
    const [first] = this.nodes;
    if (first !== undefined) return first;
    throw new Error(`${this.#lock} asks for a node, and says that it uses none`);
  }
}
