import { foundCell } from '../compare/found-cell.ts';
import { fingerprintOf, playGuarded, storyOf } from '../search/index.ts';
import type { Subject } from '../simulator/index.ts';
import { hunt, schedulesOf } from './hunt.ts';
import { promisesOf, type Trial } from './trial.ts';

/** In this very thread: for locks of our own, which are known to yield. */
export function trialHere(subject: Subject): Trial {
  return {
    promises: promisesOf(subject),
    hunt: (quest, options) => hunt(quest, subject, options),
    fingerprint: (quest) => fingerprintOf({ subject, ...schedulesOf(quest) }),
    tell: (schedule, wanted) => storyOf(schedule, subject, wanted),
    play: (schedule) => playGuarded(schedule, subject, { trace: true }),
    found: (row, effort) => foundCell(subject, row, effort),
    close: () => Promise.resolve(),
  };
}
