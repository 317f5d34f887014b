import type { Stay } from '../hold-log.ts';
import type { Arena } from './arena.ts';
import { isOf } from './owner-of.ts';
import type { Tried, Wait, Withdrawn } from './wait-log.ts';

/** Something that one server had, under the key that was asked for; true time. */
interface Stood {
  readonly fromMs: number;
  readonly toMs: number;
  readonly untilMs: number;
}

/** How an acquisition that came to nothing went, and what the servers had meanwhile. */
export interface RefusalRecord {
  /** As in the history. */
  readonly hold: string;
  /** In order; none where it never had its turn in its own process. */
  readonly attempts: readonly Tried[];
  /** What its backend said in the end, and when, of what it might leave behind; absent where it was not asked. */
  readonly withdrawn?: Withdrawn;
  /** For how long the holder's lease would last yet, as it was told. */
  readonly leftMs?: number;
  /** Whether all that its client had sent since it began to wait had been answered; absent where nobody knows. */
  readonly isAnswered?: boolean;
  /** Whether an answer is about a queue: what stood before it may have been seen at any time since it came. */
  readonly isQueue: boolean;
  /** What it wrote and may not be granted any more, and what stood there of everybody else. */
  readonly own: readonly Stood[];
  readonly others: readonly Stood[];
}

/** Of every acquisition that was refused in a run; none where nobody looked. */
export function refusalRecordsOf(arena: Arena): readonly RefusalRecord[] {
  const waits = [...arena.clients.values()].flatMap((client) => client.waits?.refused ?? []);
  return waits.map((wait) => recordOf(wait, arena));
}

function recordOf(wait: Wait, { cluster, subject, schedule }: Arena): RefusalRecord {
  const { hold, contenders, attempts, withdrawn, leftMs, isAnswered, toldMs } = wait;
  const isQueue = cluster.hasQueue;
  const { stays: all, hasPromoted } = cluster.observed();
  const stays = all.filter(({ key }) => subject.keeps?.(key) !== true);
  const isOwn = ({ owner }: Stay): boolean =>
    contenders.some((contender) => owner === contender || isOf(owner, contender));
  // Once a ttl has passed, what was sent counts as gone by itself; delayed for longer than that, it may stand all the same.
  const isYoung = toldMs < (attempts[0]?.fromMs ?? 0) + schedule.ttlMs;
  // What was taken back on a master that took the place of another may stand on that other.
  const isKnown = isQueue || (isYoung && !hasPromoted);
  // What a server came back with after a restart was taken back before.
  const own = isKnown ? stays.filter((stay) => isOwn(stay) && (isQueue || stay.isSent)) : [];
  return {
    hold,
    attempts,
    isQueue,
    own: own.map(stoodOf),
    others: stays.filter((stay) => !isOwn(stay)).map(stoodOf),
    ...(withdrawn === undefined ? {} : { withdrawn }),
    ...(leftMs === undefined ? {} : { leftMs }),
    ...(isAnswered === undefined || isQueue ? {} : { isAnswered }),
  };
}

function stoodOf({ atMs, untilMs, toMs }: Stay): Stood {
  return { fromMs: atMs, toMs, untilMs };
}
