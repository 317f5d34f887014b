import { parseNameInMode, type QueuedMode, QueueModes } from '@holdfast/core/queue';
import type { StoredKey } from '../port.ts';

/** Readers in front of which there are only readers, by the revisions that created their keys. */
export interface Readers {
  readonly first: bigint;
  /** The last one before another kind of key. */
  readonly last: bigint;
}

/** The position of a contender in a mode, as of one revision. */
export type ModePosition =
  | {
      readonly kind: 'first';
      readonly createRevision: bigint;
      readonly readers?: Readers | undefined;
      readonly otherOf?: number | undefined;
    }
  | { readonly kind: 'behind'; readonly predecessor: StoredKey }
  /** The first of those that wait for permits. */
  | { readonly kind: 'short'; readonly otherOf: number }
  /** The key is held as another kind of lock. */
  | { readonly kind: 'other-mode'; readonly holds: 'shared' | 'permits' }
  /** A key in front ends with no lease. */
  | { readonly kind: 'foreign'; readonly key: string }
  | { readonly kind: 'absent' };

/** The modes of all contenders of one lock, in order of arrival. */
export function modesOf(keys: readonly StoredKey[]): QueueModes {
  return new QueueModes(keys.map(({ key }) => modeIn(key)));
}

/** The mode of the contender that has this key. */
export function modeIn(key: string): QueuedMode {
  return parseNameInMode(nameIn(key)).mode;
}

/** Finds the position of the one that was created by `createRevision`, among all `keys` of the lock, earliest first. */
export function positionInMode(
  kind: 'shared' | 'permits',
  createRevision: bigint,
  keys: readonly StoredKey[],
): ModePosition {
  const index = keys.findIndex((each) => each.createRevision === createRevision);
  if (index < 0) return { kind: 'absent' };
  const foreign = keys.slice(0, index).find(({ lease }) => lease === 0n);
  if (foreign !== undefined) return { kind: 'foreign', key: foreign.key };
  const modes = modesOf(keys);
  const holds = modes.otherAhead(kind, index);
  if (holds !== undefined) return { kind: 'other-mode', holds };
  const place = modes.placeOf(index);
  if (place.kind === 'short') return place;
  if (place.kind === 'behind') {
    const predecessor = keys[place.index];
    return predecessor === undefined ? { kind: 'absent' } : { kind: 'behind', predecessor };
  }
  if (kind === 'permits') return { kind: 'first', createRevision, otherOf: place.otherOf };
  const first = keys[0]?.createRevision ?? createRevision;
  const last = keys[place.lastReader ?? index]?.createRevision ?? createRevision;
  return { kind: 'first', createRevision, readers: { first, last } };
}

/** The name of a contender's key, below the prefix of its lock. */
export function nameIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
