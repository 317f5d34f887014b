import type { ExploreOptions } from '../compare/explore-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Share, Tally, TargetProperty, TracedStory } from '../search/index.ts';
import type { PlayResult, Schedule, Subject } from '../simulator/index.ts';
import type { SearchPart, SearchPartOptions } from './search-part.ts';
import type { SearchRequest } from './search-request.ts';
import type { SharedLimit } from './shared-memory.ts';

/** What is known of a lock before it is tried. */
export interface LockTraits {
  readonly name: string;
  /** How many servers it spreads over. */
  readonly nodes: number;
  readonly tokens: boolean;
  /** Whether those who wait stand in a queue that can be looked into, as `fifo` asks. */
  readonly isQueue: boolean;
}

export function traitsOf({ name, nodes, tokens, ensemble }: Subject): LockTraits {
  return { name, nodes, tokens, isQueue: ensemble !== undefined };
}

/** A lock on trial, in this thread or in one that can be ended when the lock never yields. */
export interface LockRunner {
  readonly traits: LockTraits;
  searchPart(
    quest: SearchRequest,
    options: Pick<SearchPartOptions, 'share' | 'onProgress'> & { readonly limit: SharedLimit },
  ): Promise<SearchPart>;
  /** Of what a quest plays: which lock this is, in which state of the code. */
  fingerprint(quest: SearchRequest): Promise<string>;
  /** Makes a failing schedule small and plays it traced. */
  replayTraced(schedule: Schedule, wanted: TargetProperty): Promise<TracedStory>;
  play(schedule: Schedule): Promise<PlayResult>;
  /** What it does under one fault, as a cell of a table. */
  exploreCell(row: ReportRow, effort: ExploreOptions): Promise<Cell>;
  close(): Promise<void>;
}

/** The lock's own code went on without ever waiting for anything, so that nothing else could happen. */
export class HangError extends Error {
  override readonly name = 'StillError';
  /** The one that was being played. */
  readonly schedule: Schedule;

  constructor(message: string, schedule: Schedule) {
    super(message);
    this.schedule = schedule;
  }
}

/** What a thread is born with. */
export interface WorkerInit {
  readonly lock: string;
  readonly folder: string;
  readonly heartbeat: SharedArrayBuffer;
}

export type RunnerTask =
  | {
      readonly kind: 'hunt';
      readonly quest: SearchRequest;
      readonly bound: SharedArrayBuffer;
      readonly share: Share;
    }
  | { readonly kind: 'fingerprint'; readonly quest: SearchRequest }
  | { readonly kind: 'tell'; readonly schedule: Schedule; readonly wanted: TargetProperty }
  | { readonly kind: 'play'; readonly schedule: Schedule }
  | { readonly kind: 'find'; readonly row: ReportRow; readonly effort: ExploreOptions };

/** One answer for each task, and one for its birth; a tally now and then. */
export type RunnerReply =
  | { readonly kind: 'ready'; readonly promises: LockTraits }
  | { readonly kind: 'progress'; readonly tally: Tally }
  | { readonly kind: 'hunted'; readonly hunted: SearchPart }
  | { readonly kind: 'fingerprinted'; readonly fingerprint: string }
  | { readonly kind: 'told'; readonly told: TracedStory }
  | { readonly kind: 'played'; readonly played: PlayResult }
  | { readonly kind: 'found'; readonly cell: Cell }
  | { readonly kind: 'failed'; readonly message: string; readonly isConfig: boolean };
