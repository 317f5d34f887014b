import type { Deadline } from '../deadline.ts';
import { refusalError } from '../failures.ts';
import { SessionUnavailable } from '../port.ts';
import { isReached, type QueueNode } from '../queue.ts';
import type { OwnNode } from '../queue-entry.ts';
import { isReplyCode } from '../roots.ts';
import type { SessionHandle } from '../session-handle.ts';

/** The data of a container: readers up to this sequence, without a gap, hold together under this token. */
interface ReaderRecord {
  readonly upTo: number;
  readonly token: bigint;
}

/** Readers in front of which there are only readers. */
export interface Readers {
  readonly first: QueueNode;
  /** The last one before another kind of node. */
  readonly last: QueueNode;
}

const RECORD = /^readers:(-?\d+):(\d+)$/;
/** Each try follows a change of the record by another reader, which mostly covers this one, too. */
const TRIES_MAX = 20;

/**
 * Returns the token that readers beside each other share: that of the first of them who asks, the transaction that created
 * its node. So it is larger than that of every writer before, and smaller than that of every writer behind.
 *
 * The container has it, with the last sequence that it covers. A reader is granted only once it is covered, and whoever
 * covers one covers all that it sees, so a crowd of readers is covered by one write. If the first reader in front is covered,
 * a reader joins it. If it is not, none of those that exist now was granted, and a new token is due.
 */
export async function readerToken(
  handle: SessionHandle,
  { container, key }: { readonly container: string; readonly key: string },
  own: OwnNode,
  { first, last }: Readers,
  deadline: Deadline,
): Promise<bigint> {
  const { session, window } = handle;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const reading = window.enqueue(() => session.read(container), { lane: container });
    const { data, stat } = await deadline.limit(reading.reply);
    const record = parseRecord(data);
    if (record === undefined && data !== '') throw foreignData(key, container);
    if (record !== undefined && isReached(own.queueNode, record.upTo)) return record.token;
    const isJoining = record !== undefined && isReached(first, record.upTo);
    const token = isJoining ? record.token : own.czxid;
    const text = `readers:${last.sequence}:${token}`;
    const writing = window.enqueue(() => session.setData(container, text, stat.version), {
      lane: container,
    });
    try {
      await deadline.limit(writing.reply);
      return token;
    } catch (cause) {
      if (!isReplyCode(cause, 'BADVERSION')) throw cause;
    }
  }
  throw new SessionUnavailable('other readers changed the record of their token again and again');
}

/** The token in the data of a container; undefined if no reader has held the key. */
export function tokenOfReaders(data: string): bigint | undefined {
  return parseRecord(data)?.token;
}

function parseRecord(data: string): ReaderRecord | undefined {
  const [, upTo, token] = RECORD.exec(data) ?? [];
  if (upTo === undefined || token === undefined) return undefined;
  return { upTo: Number(upTo), token: BigInt(token) };
}

function foreignData(key: string, container: string): Error {
  const why = `cannot be held by readers: the data of ${container} are of another program, and would be overwritten`;
  return refusalError('FOREIGN_KEY', key, why);
}
