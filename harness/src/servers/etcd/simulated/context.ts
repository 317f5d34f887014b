import type { Anchors } from '../../../sim/anchors.ts';
import type { Clock } from '../../../sim/clock.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { DurableLog } from './durable-log.ts';
import type { Entry, EntryResult } from './entry.ts';
import type { Program } from './program.ts';

/** Settings of all servers, in ms. */
export interface EnsembleSettings {
  readonly heartbeatMs: number;
  /** A follower that has not heard of a leader for this long, or up to twice as long, starts an election. */
  readonly electionMs: number;
  /** The time that a follower takes to apply committed entries. */
  readonly lagMs: number;
  /** The interval at which a leader records what is left of longer leases; undefined: never, as by default. */
  readonly checkpointMs: number | undefined;
  /** The interval at which a leader forgets what is older than now; undefined: never. */
  readonly compactMs: number | undefined;
  /** True for servers before 3.4.31, 3.5.13 and 3.6: a leader revokes expired leases without asking if it still leads. */
  readonly revokesUnasked: boolean;
  /** The revision of a store without data; undefined: 1. */
  readonly firstRevision: bigint | undefined;
  /** Draws how long each server waits for a leader. */
  readonly luck: string;
}

/** A server of the ensemble, as another one sees it. */
export interface EnsembleMember {
  readonly id: number;
  readonly name: string;
  /** The current run of its program. */
  readonly program: Program;
}

/** Told of what servers do; it changes nothing. */
export interface EnsembleObserver {
  /** The run has applied an entry. */
  applied(program: Program, entry: Entry, result: EntryResult): void;
  /** The run is the leader from now on, and has applied everything before. */
  leads(program: Program): void;
  /** The leader keeps the lease until its monotonic clock shows `untilUs`. */
  extended(program: Program, lease: bigint, untilUs: number): void;
  /** The run has another store, or has ended. */
  replaced(program: Program): void;
}

/** The ensemble, as its servers see it. */
export interface EnsembleContext {
  readonly settings: EnsembleSettings;
  readonly members: readonly EnsembleMember[];
  /** The number of servers in a majority. */
  readonly quorum: number;
  /** True if a majority has lost data: then nobody has more than what is left. */
  readonly isDamaged: boolean;
  readonly observer: EnsembleObserver | undefined;
}

/** The parts of a machine that a run of its server uses. */
export interface MachineContext {
  readonly id: number;
  readonly name: string;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly log: DurableLog;
  readonly ensemble: EnsembleContext;
}
