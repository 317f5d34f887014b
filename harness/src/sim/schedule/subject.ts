import {
  type Backend,
  createHost,
  createLocks,
  type HoldMode,
  type Host,
  type MemoryLink,
  MemoryStore,
} from '@holdfast/core/backend';
import type * as postgresClient from '@holdfast/postgres/sessions';
import type * as redisClient from '@holdfast/redis/links';
import type { RedisNode } from '@holdfast/redis/port';
import type { openSessions } from '@holdfast/zk/network';
import type { ClientView } from './cluster.ts';
import type { LivenessBounds } from './liveness-bounds.ts';
import type { Ports } from './ports.ts';
import type { Op } from './schedule.ts';

/** The surroundings of a lock in a simulated world, as seen from one client's process. */
export interface SubjectEnv extends Ports {
  /** The first of {@link nodes}. */
  readonly node: RedisNode;
  readonly nodes: readonly RedisNode[];
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
  /** Loads the code that `open` needs; awaited before each run. */
  readonly load?: () => Promise<void>;
  /** Number of independent addresses that it uses, or of servers of its ensemble; 0 for locks without servers. */
  readonly nodes: number;
  /** The kind of its servers, one of `servers/cluster-of.ts`; by default ZooKeeper for an ensemble, else Redis. */
  readonly servers?: string;
  /** True if they are one leader and its followers; otherwise they are independent of each other. */
  readonly ensemble?: boolean;
  /** What is around its server; by default an address that always leads to it. */
  readonly topology?: Topology;
  /** SQL that its database servers have run before. */
  readonly schema?: () => string;
  /** The client code that talks to these, so that a mutant's can take its place; by default what ships. */
  readonly databaseClient?: typeof postgresClient;
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
   * Present if its waiters queue on a Redis or PostgreSQL server, and their order is judged. Returns the contender that has a
   * place in the queue: by a member of a sorted set and its key, or by the contender in a row and its table. Undefined if it has
   * none.
   */
  readonly waiterOf?: (name: string, where: string) => string | undefined;
  /** The same of clients that hold in modes. */
  readonly modeWaiterOf?: Subject['waiterOf'];
  /** Present if its clients hold in modes: how an operation asks for the key. */
  readonly modeOf?: (op: Op) => HoldMode;
  /** Present if some operations go on with their hold: as readers, or under a further handle. */
  readonly continuationOf?: (op: Op) => Continuation | undefined;
  /** Returns true for keys that it leaves on purpose, such as counters; absent if leftover keys are not checked. */
  readonly keeps?: (key: string) => boolean;
}

/** How an operation goes on with its hold: a writer that has written reads; or all is done under a further handle. */
export type Continuation = 'downgrade' | 'reenter';

/**
 * What leads clients to a Redis server; the standby of a database server whose commits wait for it, or its transaction
 * pooler; or servers of an old release.
 */
export interface Topology {
  readonly kind: 'sentinels' | 'cluster' | 'synchronous' | 'pooler' | 'old-release';
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

/** What an in-memory lock uses. */
type EnvMemory = Partial<Pick<SubjectEnv, 'store' | 'link'>>;

const NO_MEMORY: EnvMemory = {};

/**
 * The surroundings of a lock in one client's process. A class, because V8 keeps the getters of an object literal in
 * tables of its own. With them the whole run survived all young collections, which took a quarter of a search's time.
 */
export class ClientEnv implements SubjectEnv {
  readonly nodes: readonly RedisNode[];
  readonly #lock: string;
  readonly #view: ClientView;
  readonly #memory: EnvMemory;

  constructor(lock: string, view: ClientView, memory: EnvMemory = NO_MEMORY) {
    this.nodes = view.nodes;
    this.#view = view;
    this.#memory = memory;
    this.#lock = lock;
  }

  get node(): RedisNode {
    const [first] = this.nodes;
    if (first !== undefined) return first;
    throw new Error(`${this.#lock} uses a node, but declares none; declare how many nodes it uses`);
  }

  get openSession(): SubjectEnv['openSession'] {
    return this.#known(this.#view.openSession, 'openSession', 'ensemble');
  }

  get etcd(): SubjectEnv['etcd'] {
    return this.#known(this.#view.etcd, 'etcd', 'etcd cluster');
  }

  get database(): SubjectEnv['database'] {
    return this.#known(this.#view.database, 'database', 'database server');
  }

  get openClient(): SubjectEnv['openClient'] {
    return this.#known(this.#view.openClient, 'openClient', 'database server');
  }

  get sessionTtlMs(): number {
    return this.#known(this.#view.sessionTtlMs, 'sessionTtlMs', 'database server');
  }

  get store(): MemoryStore {
    return this.#known(this.#memory.store, 'store', 'store');
  }

  get link(): MemoryLink {
    return this.#known(this.#memory.link, 'link', 'store');
  }

  /** Closes what the client itself has opened for its lock. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    await this.#view.database?.close();
  }

  #known<T>(part: T | undefined, name: string, what: string): T {
    if (part !== undefined) return part;
    throw new Error(`${this.#lock} uses ${name}, but declares no ${what}`);
  }
}
