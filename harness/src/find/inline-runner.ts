import { exploreCell } from '../compare/explore-cell.ts';
import { fingerprintOf, minimiseToStory, playGuarded } from '../search/index.ts';
import type { Subject } from '../simulator/index.ts';
import { type LockRunner, traitsOf } from './lock-runner.ts';
import { schedulesOf, searchPart } from './search-part.ts';

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
