import {
  type Counterexample,
  minimiseToStory,
  search,
  TARGET_PROPERTIES,
  type TargetProperty,
} from '../search/index.ts';
import type { Choice } from './deal.ts';
import { type Film, filmOf } from './film.ts';
import type { Playable } from './playable.ts';

/** How far a search in the page is. */
export interface SeekProgress {
  readonly phase: 'searching' | 'shrinking';
  /** Schedules played in this phase. */
  readonly plays: number;
  /** The most that a search plays. */
  readonly budget: number;
}

/** A found counterexample; without a film none was found. */
export interface Seeking {
  readonly film: Film | undefined;
  /** Schedules played until it was found, or in all. */
  readonly plays: number;
}

/** Larger than the rarest story of the matrix takes, and a minute or two in a page. */
export const SEEK_BUDGET = 20_000;
/** Progress is reported after so many runs. */
const REPORT_EVERY = 64;

/** The one violation that a search is for, as an exercise has it; and how long it searches. */
export interface Seek {
  readonly target?: TargetProperty;
  readonly budget?: number;
}

/** Violations of the lock's promise; a late holder is not the lock's fault. */
const WORSE = TARGET_PROPERTIES.filter(
  ({ property, fenced }) => property !== 'belief' && (property !== 'resource' || fenced),
);

/**
 * Searches a counterexample for a lock under a fault, among three clients, and shrinks it. A late holder is only shown if
 * the whole budget finds nothing worse.
 */
export async function seek(
  { fault, seed, target, budget = SEEK_BUDGET }: Pick<Choice, 'fault' | 'seed'> & Seek,
  { subject, player, code }: Playable,
  onProgress: (progress: SeekProgress) => void,
): Promise<Seeking> {
  let late: Counterexample | undefined;
  const { counterexample, tally } = await search({
    subject,
    player,
    faults: [fault],
    targets: target === undefined ? WORSE : [target],
    // Faults that keep healing hide clients that wait forever.
    ...(target?.property === 'liveness' && { setup: { aftermath: true } }),
    budget,
    seed,
    onPlay: counter('searching', budget, onProgress),
    onViolation: (schedule, violation, n) => {
      if (violation.property === 'belief' && target === undefined)
        late ??= { schedule, violation, n };
    },
  });
  const found = counterexample ?? late;
  if (found === undefined) return { film: undefined, plays: tally.schedules };
  const { story } = await minimiseToStory(found.schedule, subject, found.violation, {
    seed,
    player,
    onPlay: counter('shrinking', budget, onProgress),
  });
  return { film: await filmOf({ ...story, ...(code && { code }) }), plays: found.n };
}

function counter(
  phase: SeekProgress['phase'],
  budget: number,
  onProgress: (progress: SeekProgress) => void,
): () => void {
  let plays = 0;
  return () => {
    plays++;
    if (plays % REPORT_EVERY === 1) onProgress({ phase, plays, budget });
  };
}
