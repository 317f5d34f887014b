/** One thing that happened to one actor, as it is told. */
export interface Moment {
  readonly atMs: number;
  readonly actor: string;
  readonly what: string;
  readonly kind: 'event' | 'fault' | 'message' | 'state';
  /** What is left out first where there is no room: the smallest. */
  readonly weight: number;
}

/** The weight of what is never told, only counted. */
export const NOISE: number = 1;

/** The `most` weightiest, in order of time. */
export function foremost<M extends Moment>(moments: readonly M[], most: number): readonly M[] {
  const kept = new Set(moments.toSorted((a, b) => b.weight - a.weight).slice(0, most));
  return moments.filter((moment) => kept.has(moment));
}
