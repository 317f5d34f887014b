import type { Opening, Proxies, ServerFactory } from '../../plant/index.ts';
import type { RestartData, ServerTarget } from '../../simulator/index.ts';
import type { ClientLinks } from './client-links.ts';

/** One real server, and what it can suffer; words that a simulated one has, too, mean the same. */
export interface RealMember {
  /** SIGSTOP, and SIGCONT. */
  stop(): void;
  resume(): void;
  /** SIGKILL; resolves once it is gone. */
  crash(): Promise<void>;
  /** Kills it where it runs; resolves once it serves again. */
  restart(data: RestartData): Promise<void>;
  /** What its log holds by now is what a torn one will hold. */
  keepLog(): Promise<void>;
  /** So far from the true time; without a clock that can be shifted, only ahead. */
  jumpWall(ms: number): Promise<void>;
}

/** Servers for one trial, and the ways on which client processes reach them. What is absent cannot be done to them. */
export interface RealCluster {
  /** How the process of this place opens its locks; place 0 is the one that holds when the fault strikes. */
  opening(place: number): Opening;
  readonly links?: ClientLinks;
  members?(which: ServerTarget): Promise<readonly RealMember[]>;
  advanceSequence?(): Promise<void>;
  stopReplication?(): Promise<void>;
  failover?(): Promise<void>;
  /** A replica is promoted, and all but these places are sent there. */
  splitBrain?(stay: readonly number[]): Promise<void>;
  cutPeers?(whose: 'all' | 'holder', way?: 'out'): Promise<void>;
  healPeers?(): Promise<void>;
  /** After the trial, whatever happened in it. */
  close(): Promise<void>;
}

export interface ClusterOptions {
  readonly serverFactory: ServerFactory;
  readonly proxies: Proxies;
  /** How many client processes there are. */
  readonly clientCount: number;
  readonly ttlMs: number;
  readonly namespace: string;
  /** The library that shifts clocks, where one could be compiled. */
  readonly shim: string | undefined;
}

/** And the lock that is tried on it. */
export interface LockOnClusterOptions extends ClusterOptions {
  /** Its configuration, as a service writes it for servers at these addresses. */
  readonly service: (addresses: readonly string[]) => Opening;
}

/** How it is opened where its servers are reached at these ports. */
export function openingAt(
  { service, namespace, ttlMs }: LockOnClusterOptions,
  ports: readonly number[],
): Opening {
  return { ...service(ports.map((port) => `127.0.0.1:${port}`)), namespace, ttlMs };
}
