import type { Anchors } from '../../../sim/anchors.ts';
import type { Clock } from '../../../sim/clock.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { LeaderHolds } from './leader-holds.ts';
import type { Program } from './program.ts';
import type { Sync, Write } from './request.ts';
import type { ServerSession } from './session.ts';
import type { Storage, Transaction, Waiter } from './transaction-log.ts';
import type { Tree } from './tree.ts';

/** What a run of a server has of its machine. */
export interface ServerContext {
  readonly id: number;
  readonly name: string;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly storage: Storage;
  readonly ensemble: EnsembleContext;
}

/** Another server, as a server knows it. */
export interface Member {
  readonly id: number;
  readonly name: string;
  /** The run of its program that is going on now. */
  readonly program: Program;
}

/** The ensemble, as its servers know it. */
export interface EnsembleContext {
  readonly settings: Settings;
  readonly members: readonly Member[];
  /** How many make a majority. */
  readonly quorum: number;
  newSession(server: number, timeoutMs: number): ServerSession;
  /** The one with this id, if the password is its own; it may have ended. */
  sessionOf(id: bigint, password: Uint8Array): ServerSession | undefined;
  /** Client connections at all servers; pings between servers rest while there are none, and no session either. */
  connections: number;
  /** Ends such a rest. */
  wake(): void;
  /** Told, where somebody wants to know, of every change to what a server has; without a tree it is down. */
  applied?: Applied | undefined;
  /** Told of what the leader says of holds, where somebody wants to know. */
  holds?: LeaderHolds | undefined;
}

export type Applied = (
  server: string,
  tree: Tree | undefined,
  entry: Transaction | undefined,
) => void;

/** As in zoo.cfg, in ms. */
export interface Settings {
  readonly tickMs: number;
  /** After so many ticks of silence a leader and a follower give each other up. */
  readonly syncLimit: number;
  readonly minSessionMs: number;
  readonly maxSessionMs: number;
  /** How long votes are collected before one is believed. */
  readonly electionMs: number;
  readonly containerCheckMs: number;
  /** How long a follower takes to apply what was committed. */
  readonly lagMs: number;
}

/** What a server is at the moment: it looks for a leader, follows one, or leads. */
export interface Role {
  readonly name: 'looking' | 'following' | 'leading';
  /** Whether clients may connect. */
  readonly isServing: boolean;
  /** A client was heard. */
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: Write | Sync, waiter: Waiter): void;
  /** Creates a session. */
  open(session: ServerSession, waiter: Waiter): void;
  /** A client comes back on a new connection; the leader says whether its session lives, and touches it. */
  revalidate(session: ServerSession, told: (lives: boolean) => void): void;
  /** Clients are back after a time without any, or knock at a door that is closed. */
  wake(): void;
  /** Sessions it counts the time of. */
  readonly tracked: number;
  end(): void;
}
