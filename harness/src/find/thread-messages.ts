import type { FoundEffort } from '../compare/found-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Share, Tally, Told, Wanted } from '../search/index.ts';
import type { Played, Schedule } from '../simulator/index.ts';
import type { Hunted } from './hunt.ts';
import type { Quest } from './quest.ts';
import type { Promises } from './trial.ts';

/** What a thread is born with. */
export interface Birth {
  readonly lock: string;
  readonly folder: string;
  readonly beat: SharedArrayBuffer;
}

export type Task =
  | {
      readonly kind: 'hunt';
      readonly quest: Quest;
      readonly bound: SharedArrayBuffer;
      readonly share: Share;
    }
  | { readonly kind: 'fingerprint'; readonly quest: Quest }
  | { readonly kind: 'tell'; readonly schedule: Schedule; readonly wanted: Wanted }
  | { readonly kind: 'play'; readonly schedule: Schedule }
  | { readonly kind: 'find'; readonly row: ReportRow; readonly effort: FoundEffort };

/** One answer for each task, and one for its birth; a tally now and then. */
export type Answer =
  | { readonly kind: 'ready'; readonly promises: Promises }
  | { readonly kind: 'progress'; readonly tally: Tally }
  | { readonly kind: 'hunted'; readonly hunted: Hunted }
  | { readonly kind: 'fingerprinted'; readonly fingerprint: string }
  | { readonly kind: 'told'; readonly told: Told }
  | { readonly kind: 'played'; readonly played: Played }
  | { readonly kind: 'found'; readonly cell: Cell }
  | { readonly kind: 'failed'; readonly message: string; readonly isConfig: boolean };
