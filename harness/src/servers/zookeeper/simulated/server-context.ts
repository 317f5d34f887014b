import type { Anchors } from '../../../sim/anchors.ts';
import type { Clock } from '../../../sim/clock.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { LeaderHolds } from './leader-holds.ts';
import type { Program } from './program.ts';
import type { SyncRequest, WriteRequest } from './request.ts';
import type { ServerSession } from './session.ts';
import type { DurableState, Transaction, Waiter } from './transaction-log.ts';
import type { Tree } from './tree.ts';

/** The parts of a machine that a run of its server uses. */
export interface ServerContext {
  readonly id: number;
  readonly name: string;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly storage: DurableState;
  readonly ensemble: EnsembleContext;
}

/** A server of the ensemble, as another server sees it. */
export interface EnsembleMember {
  readonly id: number;
  readonly name: string;
  /** The current run of its program. */
  readonly program: Program;
}

/** The ensemble, as its servers see it. */
export interface EnsembleContext {
  readonly settings: EnsembleSettings;
  readonly members: readonly EnsembleMember[];
  /** Number of servers in a majority. */
  readonly quorum: number;
  newSession(server: number, timeoutMs: number): ServerSession;
  /** Returns the session with this id if the password matches; it may have ended. */
  sessionOf(id: bigint, password: Uint8Array): ServerSession | undefined;
  /**
   * Client connections at all servers. Servers stop pinging each other while there are neither connections nor
   * sessions.
   */
  connections: number;
  /** Resumes the pings. */
  wake(): void;
  /** Called, if set, on every change of a server's state; without a tree the server is down. */
  applied?: AppliedListener | undefined;
  /** Records, if set, the holders by the leader's state. */
  holds?: LeaderHolds | undefined;
}

export type AppliedListener = (
  server: string,
  tree: Tree | undefined,
  entry: Transaction | undefined,
) => void;

/** As in zoo.cfg, in ms. */
export interface EnsembleSettings {
  readonly tickMs: number;
  /** After this many silent ticks a leader and a follower disconnect. */
  readonly syncLimit: number;
  readonly minSessionMs: number;
  readonly maxSessionMs: number;
  /** Time for collecting votes before the election is decided. */
  readonly electionMs: number;
  readonly containerCheckMs: number;
  /** Time that a follower takes to apply committed transactions. */
  readonly lagMs: number;
}

/** The current role of a server: it looks for a leader, follows one, or leads. */
export interface Role {
  readonly name: 'looking' | 'following' | 'leading';
  /** True if clients may connect. */
  readonly isServing: boolean;
  /** A client was heard. */
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  /** Creates a session. */
  open(session: ServerSession, waiter: Waiter): void;
  /** Handles a client that reconnects: the leader reports whether its session lives, and touches it. */
  revalidate(session: ServerSession, reply: (lives: boolean) => void): void;
  /** Clients connect again after a time without any, or are refused while no server serves. */
  wake(): void;
  /** Number of sessions whose expiry it tracks. */
  readonly tracked: number;
  end(): void;
}
