/** The ten that teach most: of every lock, and of every way to be wrong about clocks, owners, votes, tokens and news. */
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
