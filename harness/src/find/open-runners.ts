import { backendUrl } from 'holdfast/internal';
import { exploreCell } from '../compare/explore-cell.ts';
import { builtInSubject } from '../locks/index.ts';
import { fingerprintOf, minimiseToStory, playGuarded } from '../search/index.ts';
import type { StoryCode, Subject } from '../simulator/index.ts';
import { type LockRunner, traitsOf } from './lock-runner.ts';
import { schedulesOf, searchPart } from './search-part.ts';
import { openThreadRunner } from './thread-runner.ts';

/**
 * Opens as many runners of one lock as there are jobs. A single runner of a built-in lock uses this thread; external code
 * might never yield, so it gets its own thread.
 * @throws ConfigError if there is no such lock, or it does not work even without faults; HangError
 */
export async function openRunners(
  lock: string,
  folder: string,
  jobs: number,
): Promise<readonly LockRunner[]> {
  const builtIn = builtInSubject(lock);
  if (builtIn !== undefined && jobs === 1) return [inlineRunner(builtIn)];
  // Fails at once, without starting a thread.
  if (builtIn === undefined) backendUrl(lock, folder);
  return await allOpen(Array.from({ length: jobs }, () => openThreadRunner(lock, folder)));
}

/** If one fails, the others are closed: a thread that is left open keeps the process from ending. */
async function allOpen(opening: readonly Promise<LockRunner>[]): Promise<readonly LockRunner[]> {
  try {
    return await Promise.all(opening);
  } catch (error) {
    const opened = (await Promise.allSettled(opening)).filter(
      (each) => each.status === 'fulfilled',
    );
    await Promise.all(opened.map(({ value }) => value.close()));
    throw error;
  }
}

/** Opens a runner of code that a story carries, in a thread of its own. */
export function openCodeRunner(lock: string, code: StoryCode): Promise<LockRunner> {
  return openThreadRunner(lock, process.cwd(), { code });
}

/** Runs a lock in this thread; for built-in locks, which are known to yield. */
export function inlineRunner(subject: Subject): LockRunner {
  return {
    traits: traitsOf(subject),
    searchPart: (request, options) => searchPart(request, subject, options),
    fingerprint: (request) => fingerprintOf({ subject, ...schedulesOf(request) }),
    replayTraced: (schedule, wanted) => minimiseToStory(schedule, subject, wanted),
    play: (schedule) => playGuarded(schedule, subject, { trace: true }),
    exploreCell: (row, effort) => exploreCell(subject, row, effort),
    close: () => Promise.resolve(),
  };
}
