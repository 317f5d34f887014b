/** Searches in the simulator, for tests outside of the harness. */

export {
  addTallies,
  EMPTY_TALLY,
  loadSubject,
  minimiseToStory,
  playGuarded,
  propertyName,
  replayTraced,
  type SearchOptions,
  scheduleResults,
  search,
  setupOf,
  TARGET_PROPERTIES,
  type Tally,
  type TargetProperty,
  type Violation,
  verdictOf,
  violationOf,
} from '../../src/search/index.ts';
