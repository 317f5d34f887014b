import { backendUrl } from 'holdfast/internal';
import { exploreCell } from '../compare/explore-cell.ts';
import { builtInSubject } from '../locks/index.ts';
import { fingerprintOf, minimiseToStory, playGuarded } from '../search/index.ts';
import type { Subject } from '../simulator/index.ts';
import { type LockRunner, traitsOf } from './lock-runner.ts';
import { schedulesOf, searchPart } from './search-part.ts';
import { openThreadRunner } from './thread-runner.ts';

/**
 * Opens as many trials of one lock as there are jobs. Our own lock, alone, is tried in this thread; anybody else's code
 * might never yield, so it is kept apart.
 * @throws ConfigError where there is no such lock, or it does not work even undisturbed; StillError
 */
export async function openRunners(
  lock: string,
  folder: string,
  jobs: number,
): Promise<readonly LockRunner[]> {
  const ours = builtInSubject(lock);
  if (ours !== undefined && jobs === 1) return [inlineRunner(ours)];
  // Said at once, rather than by a thread that starts in vain.
  if (ours === undefined) backendUrl(lock, folder);
  return await Promise.all(Array.from({ length: jobs }, () => openThreadRunner(lock, folder)));
}

/** In this very thread: for locks of our own, which are known to yield. */
export function inlineRunner(subject: Subject): LockRunner {
  return {
    traits: traitsOf(subject),
    searchPart: (quest, options) => searchPart(quest, subject, options),
    fingerprint: (quest) => fingerprintOf({ subject, ...schedulesOf(quest) }),
    replayTraced: (schedule, wanted) => minimiseToStory(schedule, subject, wanted),
    play: (schedule) => playGuarded(schedule, subject, { trace: true }),
    exploreCell: (row, effort) => exploreCell(subject, row, effort),
    close: () => Promise.resolve(),
  };
}
