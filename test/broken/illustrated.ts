/** One of a lock on one server, one of a vote, one of a queue: docs/track-record.md shows these. */
const SHOWN: ReadonlySet<string> = new Set([
  'release-without-compare',
  'late-vote-counted',
  'takes-without-looking',
]);

/** The ten that teach most: of every lock, and of every way to be wrong about clocks, owners, votes, tokens and notifications. */
const ILLUSTRATED: ReadonlySet<string> = new Set([
  'deadline-from-reply',
  'flag-instead-of-clock',
  'wall-clock-alone',
  'owner-value-reused',
  'release-without-compare',
  'waits-for-news-alone',
  'token-from-a-counter',
  'takes-without-looking',
  'late-vote-counted',
  'believes-until-told',
]);

export function isIllustrated(name: string): boolean {
  return ILLUSTRATED.has(name);
}

/** True if the mutant is drawn in the docs, too. */
export function isShown(name: string): boolean {
  return SHOWN.has(name);
}
