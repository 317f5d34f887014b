export { fingerprintOf, printsOf } from './fingerprint.ts';
export { type Violation, verdictOf, violationOf, WANTED, type Wanted } from './judged.ts';
export { loadSubject } from './load-subject.ts';
export { playGuarded, refuseAmbient } from './play-guarded.ts';
export {
  type Hit,
  type SearchOptions,
  search,
  setupOf,
} from './search.ts';
export { batchesOf, portionOf, type Share, sizeOf, WHOLE } from './share.ts';
export { storyOf, type Told, tell } from './story-of.ts';
export { NO_TALLY, nameOf, sumOf, type Tally } from './tally.ts';
