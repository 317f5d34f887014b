/** Of each arm. */
export const KEYS = 1_000;

/** Those whose grants all replicas acknowledge, and the control: those that wait for none. */
export type Arm = 'all' | 'none';

/** What a process of clients is told to do. */
export interface Orders {
  readonly name: string;
  readonly arms: Readonly<Record<Arm, LocksAt & { readonly waitReplicas?: number }>>;
  /** Of each arm. */
  readonly clients: number;
  readonly ttlMs: number;
  readonly keys: number;
  /** The keys, the first ones of all, that get half of the requests. */
  readonly hotKeys: number;
}

/** Where the locks are. */
export interface LocksAt {
  readonly url: string;
  readonly library: 'ioredis' | 'redis';
  readonly natMap: Readonly<Record<string, { readonly host: string; readonly port: number }>>;
}

/** The resources that a process uses. */
export interface Usage {
  readonly heapMb: number;
  /** Of open files, which nearly all are sockets. */
  readonly descriptors: number;
  readonly timers: number;
  /** By how much the event loop was late, at any moment: of a process that gets too little of the machine, or is paused. */
  readonly lateMs: number;
}
