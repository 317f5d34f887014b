import type { HoldStatus, StoredValue } from '../hold-log.ts';
import { isOf } from './holds.ts';
import type { Run } from './run.ts';
import type { AttemptRecord, WaitRecord, WithdrawalRecord } from './wait-log.ts';

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

/** What the servers' own records say of one hold that was granted. */
export interface HoldRecord {
  /** As in the history. */
  readonly hold: string;
  /** At how many of the addresses it has to stand, so that nobody else can be granted the key. */
  readonly quorum: number;
  /** Of each address, the records of the servers behind it. */
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

/** Of every hold in a run. */
export function holdRecordsIn({ owners, cluster }: Run): readonly HoldRecord[] {
  return Array.from(owners, ([hold, owner]) => {
    const { addresses } = cluster.holds(owner);
    return { hold, quorum: Math.floor(addresses.length / 2) + 1, addresses };
  });
}

/** Something that one server had, under the key that was asked for; true time. */
interface StoredSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly untilMs: number;
}

/** How an acquisition that came to nothing went, and what the servers had meanwhile. */
export interface RefusalRecord {
  /** As in the history. */
  readonly hold: string;
  /** In order; none where it never had its turn in its own process. */
  readonly attempts: readonly AttemptRecord[];
  /** What its backend said in the end, and when, of what it might leave behind; absent where it was not asked. */
  readonly withdrawn?: WithdrawalRecord;
  /** For how long the holder's lease would last yet, as it was told. */
  readonly leftMs?: number;
  /** Whether all that its client had sent since it began to wait had been answered; absent where nobody knows. */
  readonly isAnswered?: boolean;
  /** Whether an answer is about a queue: what stood before it may have been seen at any time since it came. */
  readonly isQueue: boolean;
  /** What it wrote and may not be granted any more, and what stood there of everybody else. */
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}

/** Of every acquisition that was refused in a run; none where nobody looked. */
export function refusalRecordsOf(run: Run): readonly RefusalRecord[] {
  const waits = [...run.clients.values()].flatMap((client) => client.waitLog?.refused ?? []);
  return waits.map((wait) => recordOf(wait, run));
}

function recordOf(wait: WaitRecord, { cluster, subject, schedule }: Run): RefusalRecord {
  const { hold, contenders, attempts, withdrawn, leftMs, isAnswered, answeredMs } = wait;
  const isQueue = cluster.hasQueue;
  const { storedValues: all, hasPromoted } = cluster.observed();
  const stays = all.filter(({ key }) => subject.keeps?.(key) !== true);
  const isOwn = ({ owner }: StoredValue): boolean =>
    contenders.some((contender) => owner === contender || isOf(owner, contender));
  // Once a ttl has passed, what was sent counts as gone by itself; delayed for longer than that, it may stand all the same.
  const isYoung = answeredMs < (attempts[0]?.fromMs ?? 0) + schedule.ttlMs;
  // What was taken back on a master that took the place of another may stand on that other.
  const isKnown = isQueue || (isYoung && !hasPromoted);
  // What a server came back with after a restart was taken back before.
  const own = isKnown ? stays.filter((stay) => isOwn(stay) && (isQueue || stay.isFromClient)) : [];
  return {
    hold,
    attempts,
    isQueue,
    own: own.map(storedSpansOf),
    others: stays.filter((stay) => !isOwn(stay)).map(storedSpansOf),
    ...(withdrawn === undefined ? {} : { withdrawn }),
    ...(leftMs === undefined ? {} : { leftMs }),
    ...(isAnswered === undefined || isQueue ? {} : { isAnswered }),
  };
}

function storedSpansOf({ atMs, untilMs, toMs }: StoredValue): StoredSpan {
  return { fromMs: atMs, toMs, untilMs };
}
