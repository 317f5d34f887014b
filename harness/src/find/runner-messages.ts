import type { ExploreOptions } from '../compare/explore-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Share, Tally, TargetProperty, TracedStory } from '../search/index.ts';
import type { PlayResult, Schedule } from '../simulator/index.ts';
import type { LockTraits } from './lock-runner.ts';
import type { SearchPart } from './search-part.ts';
import type { SearchRequest } from './search-request.ts';

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
