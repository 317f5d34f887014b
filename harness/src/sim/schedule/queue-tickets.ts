import type { Run } from './run.ts';

/** Where in the queue somebody came to stand who was granted the key. */
export interface QueueTicket {
  /** As in the history. */
  readonly hold: string;
  /** The transaction that put it there first, in the session in which it was granted. */
  readonly zxid: number;
}

/** Of every hold in a run whose place is known. */
export function queueTicketsOf({ owners, cluster }: Run): readonly QueueTicket[] {
  return Array.from(owners).flatMap(([hold, owner]) => {
    const { place: zxid } = cluster.holds(owner);
    return zxid === undefined ? [] : [{ hold, zxid }];
  });
}
