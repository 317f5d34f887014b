import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { doubted, flawOf } from './flaw.ts';
import { exclude } from './span.ts';
import { ok, violated } from './verdict.ts';

/** The queue place of a client that was granted the key; known if the simulator can read the queue. */
export interface QueueTicket {
  readonly hold: string;
  /** The transaction that first queued the client in the session in which it was granted. */
  readonly zxid: number;
}

type Granted = Extract<HistoryEvent, { readonly type: 'granted' }>;
type Served = QueueTicket & { readonly granted: Granted };

/**
 * Judges if grants came in the order in which their clients had queued. Holds that fit beside each other, as readers do, have no
 * order; neither has a reader that was a writer until now: it does not queue. A client that leaves is granted nothing. A client
 * that had to open another session has the place of that session. A client that leaves its place without need, and queues
 * again in that session, is judged by its first place. A grant that has ended by the time its client learns of it, for
 * example after a pause, says nothing about the order of grants.
 */
export function fifo(history: readonly HistoryEvent[], tickets: readonly QueueTicket[]): Verdict {
  const doubt = doubted(flawOf(history), 'fifo');
  if (doubt !== undefined) return doubt;
  const byHold = new Map(tickets.map((ticket) => [ticket.hold, ticket]));
  const served = history.filter(isGrantInTime).flatMap((granted): readonly Served[] => {
    const ticket = byHold.get(granted.hold);
    return ticket === undefined ? [] : [{ ...ticket, granted }];
  });
  const queues = new Map<string, Served[]>();
  for (const each of served) {
    const queue = queues.get(each.granted.key) ?? [];
    const before = queue.findLast((other) => each.zxid < other.zxid && areRivals(each, other));
    if (before !== undefined)
      return violated('fifo', describe(before, each), [before.granted, each.granted]);
    queue.push(each);
    queues.set(each.granted.key, queue);
  }
  return ok('fifo', `${served.length} grants came in queue order`);
}

/** Not a downgrade, whose lease was valid before the reply. */
function isGrantInTime(event: HistoryEvent): event is Granted {
  return (
    event.type === 'granted' && event.validUntilMs > event.atMs && event.repliedMs === undefined
  );
}

function areRivals({ granted: a }: Served, { granted: b }: Served): boolean {
  return exclude(a.mode, b.mode);
}

function describe({ granted: before }: Served, { granted: after }: Served): string {
  return `${before.client} was granted ${before.key} before ${after.client}, which had queued earlier and stayed`;
}
