import type { Opening, Proxies, ServerFactory } from '../../real/index.ts';
import type { RestartData, ServerTarget } from '../../simulator/index.ts';
import type { ClientLinks } from './client-links.ts';

/** One real server, with the verbs that faults compose. A verb that a simulated server has too means the same here. */
export interface RealMember {
  /** Sends SIGSTOP; `resume` sends SIGCONT. */
  stop(): void;
  resume(): void;
  /** Sends SIGKILL; resolves once the process has ended. */
  crash(): Promise<void>;
  /** Kills it if it runs, and restarts it; resolves once it serves again. */
  restart(data: RestartData): Promise<void>;
  /** Records the length of its log: a restart with a torn log keeps only that. */
  keepLog(): Promise<void>;
  /** Sets its wall clock off the true time by `ms`. Without a clock that can be shifted, only ahead. */
  jumpWall(ms: number): Promise<void>;
}

/**
 * The servers of one trial, and the links on which client processes reach them. An absent verb cannot be done to them.
 */
export interface RealCluster {
  /** The opening for the client with this index; client 0 holds when the fault is injected. */
  opening(place: number): Opening;
  readonly links?: ClientLinks;
  members?(which: ServerTarget): Promise<readonly RealMember[]>;
  advanceSequence?(): Promise<void>;
  stopReplication?(): Promise<void>;
  failover?(): Promise<void>;
  /** Promotes a replica, and redirects all clients but these to it. */
  splitBrain?(stay: readonly number[]): Promise<void>;
  cutPeers?(whose: 'all' | 'holder', way?: 'out'): Promise<void>;
  healPeers?(): Promise<void>;
  /** Called after the trial, also if it failed. */
  close(): Promise<void>;
}

export interface ClusterOptions {
  readonly serverFactory: ServerFactory;
  readonly proxies: Proxies;
  /** The number of client processes. */
  readonly clientCount: number;
  readonly ttlMs: number;
  readonly namespace: string;
  /** The library that shifts clocks; undefined if none could be compiled. */
  readonly shim: string | undefined;
}

/** The options of a cluster, and the lock under test. */
export interface LockOnClusterOptions extends ClusterOptions {
  /** Returns the configuration that a service writes for servers at these addresses. */
  readonly service: (addresses: readonly string[]) => Opening;
  /** What its servers need to understand its requests. */
  readonly schema?: string | undefined;
}

/** The opening of the lock for a client that reaches its servers at these ports. */
export function openingAt(
  { service, namespace, ttlMs }: LockOnClusterOptions,
  ports: readonly number[],
): Opening {
  return { ...service(ports.map((port) => `127.0.0.1:${port}`)), namespace, ttlMs };
}
