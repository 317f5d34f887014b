import type { ExploreOptions } from '../compare/explore-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Share, Tally, TargetProperty, TracedStory } from '../search/index.ts';
import {
  kindOf,
  type PlayResult,
  type Schedule,
  type StoryCode,
  type Subject,
} from '../simulator/index.ts';
import type { SearchPart, SearchPartOptions } from './search-part.ts';
import type { SearchRequest } from './search-request.ts';
import type { SharedLimit } from './shared-memory.ts';

/** The traits of a lock that are known before it is tested. */
export interface LockTraits {
  readonly name: string;
  /** The number of servers that it uses. */
  readonly nodes: number;
  /** The kind of these servers. */
  readonly servers: string;
  readonly tokens: boolean;
  /** True if waiters are in a queue that can be read, as `fifo` needs. */
  readonly isQueue: boolean;
}

export function traitsOf(subject: Subject): LockTraits {
  const { name, nodes, tokens, ensemble } = subject;
  return { name, nodes, servers: kindOf(subject), tokens, isQueue: ensemble !== undefined };
}

/** Runs one lock, in this thread or in one that can be terminated if the lock never yields. */
export interface LockRunner {
  readonly traits: LockTraits;
  searchPart(
    request: SearchRequest,
    options: Pick<SearchPartOptions, 'share' | 'onProgress'> & { readonly limit: SharedLimit },
  ): Promise<SearchPart>;
  /** The fingerprint of the lock and its code, from the first schedules of a request. */
  fingerprint(request: SearchRequest): Promise<string>;
  /** Minimises a failing schedule and runs it with a trace. */
  replayTraced(schedule: Schedule, wanted: TargetProperty): Promise<TracedStory>;
  play(schedule: Schedule): Promise<PlayResult>;
  /** Runs the lock under one fault and returns the cell of a table. */
  exploreCell(row: ReportRow, effort: ExploreOptions): Promise<Cell>;
  close(): Promise<void>;
}

/** The lock's own code kept running without ever awaiting, so that nothing else could happen. */
export class HangError extends Error {
  override readonly name = 'HangError';
  /** The schedule that was running. */
  readonly schedule: Schedule;

  constructor(message: string, schedule: Schedule) {
    super(message);
    this.schedule = schedule;
  }
}

/** The data that a thread starts with. */
export interface WorkerInit {
  readonly lock: string;
  readonly folder: string;
  readonly heartbeat: SharedArrayBuffer;
  /** Code that takes the place of the lock's own. */
  readonly code?: StoryCode;
}

export type RunnerTask =
  | {
      readonly kind: 'search';
      readonly request: SearchRequest;
      readonly limit: SharedArrayBuffer;
      readonly share: Share;
    }
  | { readonly kind: 'fingerprint'; readonly request: SearchRequest }
  | { readonly kind: 'trace'; readonly schedule: Schedule; readonly wanted: TargetProperty }
  | { readonly kind: 'play'; readonly schedule: Schedule }
  | { readonly kind: 'explore'; readonly row: ReportRow; readonly effort: ExploreOptions };

/** One reply for each task, and one for the start of the thread; between them tallies of progress. */
export type RunnerReply =
  | { readonly kind: 'ready'; readonly traits: LockTraits }
  | { readonly kind: 'progress'; readonly tally: Tally }
  | { readonly kind: 'searched'; readonly part: SearchPart }
  | { readonly kind: 'fingerprinted'; readonly fingerprint: string }
  | { readonly kind: 'traced'; readonly traced: TracedStory }
  | { readonly kind: 'played'; readonly played: PlayResult }
  | { readonly kind: 'explored'; readonly cell: Cell }
  | { readonly kind: 'failed'; readonly message: string; readonly isConfig: boolean };
