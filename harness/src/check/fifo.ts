import type { HistoryEvent, Verdict } from '@holdfast/core';
import { doubted, flawOf } from './flaw.ts';
import { ok, violated } from './verdict.ts';

/** Where in a queue somebody came to stand who was granted the key; known where the queue can be looked into. */
export interface QueueTicket {
  readonly hold: string;
  /** The transaction that put it there first, in the session in which it was granted. */
  readonly zxid: number;
}

type Granted = Extract<HistoryEvent, { readonly type: 'granted' }>;
type Served = QueueTicket & { readonly granted: Granted };

/**
 * Whether grants came in the order in which those who got them had come to stand in the queue. It is about those that
 * stay: whoever goes away is granted nothing, and whoever had to open another session stands where that has put it. But
 * whoever leaves its place without need, and queues anew in the same session, is held to the first. A grant that is
 * over when it is heard of, for example after a pause, says nothing of the order in which the key was given.
 */
export function fifo(history: readonly HistoryEvent[], places: readonly QueueTicket[]): Verdict {
  const doubt = doubted(flawOf(history), 'fifo');
  if (doubt !== undefined) return doubt;
  const byHold = new Map(places.map((place) => [place.hold, place]));
  const served = history.filter(isHeard).flatMap((granted): readonly Served[] => {
    const place = byHold.get(granted.hold);
    return place === undefined ? [] : [{ ...place, granted }];
  });
  const latest = new Map<string, Served>();
  for (const each of served) {
    const before = latest.get(each.granted.key);
    if (before !== undefined && each.zxid < before.zxid)
      return violated('fifo', describe(before, each), [before.granted, each.granted]);
    latest.set(each.granted.key, each);
  }
  return ok('fifo', `${served.length} grants came in the order of their places`);
}

function isHeard(event: HistoryEvent): event is Granted {
  return event.type === 'granted' && event.validUntilMs > event.atMs;
}

function describe({ granted: before }: Served, { granted: after }: Served): string {
  return `${before.client} was granted ${before.key} before ${after.client}, which had come to stand in the queue earlier and stayed`;
}
