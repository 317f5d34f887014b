export { fingerprintOf, scheduleResults } from './fingerprint.ts';
export { loadSubject } from './load-subject.ts';
export { minimiseToStory, replayTraced, type TracedStory } from './minimise-to-story.ts';
export { type Player, playGuarded, refuseAmbient } from './play-guarded.ts';
export {
  type Counterexample,
  type SearchOptions,
  search,
  setupOf,
} from './search.ts';
export { batchesOf, type Share, sizeOf, subShare, WHOLE } from './share.ts';
export { addTallies, EMPTY_TALLY, propertyName, type Tally } from './tally.ts';
export {
  TARGET_PROPERTIES,
  type TargetProperty,
  type Violation,
  verdictOf,
  violationOf,
} from './violations.ts';
