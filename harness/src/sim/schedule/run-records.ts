import type { HoldStatus, StoredValue } from '../hold-log.ts';
import { isOf } from './holds.ts';
import type { Run } from './run.ts';
import type { AttemptRecord, WaitRecord, WithdrawalRecord } from './wait-log.ts';

/** The position in the queue of a client that was granted the key. */
export interface QueueTicket {
  /** The id in the history. */
  readonly hold: string;
  /** The transaction that first put it there, in the session in which it was granted. */
  readonly zxid: number;
}

/** Returns the tickets of all holds with a known position. */
export function queueTicketsOf({ owners, cluster }: Run): readonly QueueTicket[] {
  return Array.from(owners).flatMap(([hold, owner]) => {
    const { place: zxid } = cluster.holds(owner);
    return zxid === undefined ? [] : [{ hold, zxid }];
  });
}

/** The servers' own records of one granted hold. */
export interface HoldRecord {
  /** The id in the history. */
  readonly hold: string;
  /** Number of addresses that must store it, so that no other client can be granted the key. */
  readonly quorum: number;
  /** Per address, the records of the servers behind it. */
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

/** Returns the records of all holds in a run. */
export function holdRecordsIn({ owners, cluster }: Run): readonly HoldRecord[] {
  return Array.from(owners, ([hold, owner]) => {
    const { addresses } = cluster.holds(owner);
    return { hold, quorum: Math.floor(addresses.length / 2) + 1, addresses };
  });
}

/** A span in which one server stored a value under the requested key; true time. */
interface StoredSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly untilMs: number;
}

/** The course of a refused acquisition, and the servers' contents meanwhile. */
export interface RefusalRecord {
  /** The id in the history. */
  readonly hold: string;
  /** In order; empty if it never had its turn in its own process. */
  readonly attempts: readonly AttemptRecord[];
  /** The backend's reply to the withdrawal; absent if there was none. */
  readonly withdrawn?: WithdrawalRecord;
  /** Remaining time of the holder's lease, as the error reported it. */
  readonly leftMs?: number;
  /** True if all requests of its client since it began to wait had a reply; absent if unknown. */
  readonly isAnswered?: boolean;
  /**
   * True if a reply is about a queue: the client may have seen the nodes before its own at any time since it queued.
   */
  readonly isQueue: boolean;
  /** The values that it wrote and that may not be granted any more, and the values of all others. */
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}

/** Returns the records of all refused acquisitions in a run; empty if no wait was logged. */
export function refusalRecordsOf(run: Run): readonly RefusalRecord[] {
  const waits = [...run.clients.values()].flatMap((client) => client.waitLog?.refused ?? []);
  return waits.map((wait) => recordOf(wait, run));
}

function recordOf(wait: WaitRecord, { cluster, subject, schedule }: Run): RefusalRecord {
  const { hold, contenders, attempts, withdrawn, leftMs, isAnswered, endedMs: answeredMs } = wait;
  const isQueue = cluster.hasQueue;
  const { storedValues: all, hasPromoted } = cluster.observed();
  const values = all.filter(({ key }) => subject.keeps?.(key) !== true);
  const isOwn = ({ owner }: StoredValue): boolean =>
    contenders.some((contender) => owner === contender || isOf(owner, contender));
  // Once a ttl has passed, a request counts as expired; but one that was delayed for longer than that may still be
  // stored.
  const isYoung = answeredMs < (attempts[0]?.fromMs ?? 0) + schedule.ttlMs;
  // A value that was removed on a master may still exist on the server promoted in its place.
  const isKnown = isQueue || (isYoung && !hasPromoted);
  // A value with which a server restarted was removed before.
  const own = isKnown
    ? values.filter((value) => isOwn(value) && (isQueue || value.isFromClient))
    : [];
  return {
    hold,
    attempts,
    isQueue,
    own: own.map(storedSpansOf),
    others: values.filter((value) => !isOwn(value)).map(storedSpansOf),
    ...(withdrawn === undefined ? {} : { withdrawn }),
    ...(leftMs === undefined ? {} : { leftMs }),
    ...(isAnswered === undefined || isQueue ? {} : { isAnswered }),
  };
}

function storedSpansOf({ atMs, untilMs, toMs }: StoredValue): StoredSpan {
  return { fromMs: atMs, toMs, untilMs };
}
