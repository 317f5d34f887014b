import { type Fields, Writer } from './wire.ts';

/** The stream on which all watches of one connection are told. */
export const WATCH_PATH = '/etcdserverpb.Watch/Watch';

const NO_PUT = 0;
const DELETED = 1n;

/** Asks for the deletions of one key, from `fromRevision` on, under the number `id`. */
export function createWatch(id: bigint, key: string, fromRevision: bigint): Writer {
  const create = new Writer().text(1, key).int(3, fromRevision).int(5, NO_PUT).int(7, id);
  return new Writer().message(1, create);
}

export function cancelWatch(id: bigint): Writer {
  return new Writer().message(2, new Writer().int(1, id));
}

/** What the stream tells of one watch. */
export interface WatchNotice {
  readonly id: bigint;
  /** The server has begun to watch. */
  readonly isCreated: boolean;
  /** Why the watch has ended; undefined if it has not. */
  readonly ended: string | undefined;
  readonly isDeleted: boolean;
}

export function decodeNotice(reply: Fields): WatchNotice {
  const compacted = reply.int(5);
  const why = compacted > 0n ? `compacted up to revision ${compacted}` : reply.text(6);
  return {
    id: reply.int(2),
    isCreated: reply.bool(3),
    ended: reply.bool(4) || compacted > 0n ? why : undefined,
    isDeleted: reply.messages(11).some((event) => event.uint(1) === DELETED),
  };
}
