import type { Arena } from './arena.ts';

/** Where in the queue somebody came to stand who was granted the key. */
export interface Place {
  /** As in the history. */
  readonly hold: string;
  /** The transaction that put it there first, in the session in which it was granted. */
  readonly zxid: number;
}

/** Of every hold in a run whose place is known. */
export function placesOf({ owners, cluster }: Arena): readonly Place[] {
  return Array.from(owners).flatMap(([hold, owner]) => {
    const { place: zxid } = cluster.holds(owner);
    return zxid === undefined ? [] : [{ hold, zxid }];
  });
}
