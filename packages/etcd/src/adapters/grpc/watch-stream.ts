import type { Metadata } from '@grpc/grpc-js';
import { EtcdDoubt, type WatchListener } from '../../port.ts';
import type { Connection, Stream } from './connection.ts';
import { type Fields, Writer } from './wire.ts';

/** The stream of all watches of one connection. */
const WATCH_PATH = '/etcdserverpb.Watch/Watch';

const NO_PUT = 0;
const DELETED = 1n;

/** All watches of one connection, on one stream: a stream for each would cost the server more than the watch. */
export class WatchStream {
  readonly connection: Connection;
  readonly #stream: Stream;
  readonly #watches = new Map<bigint, WatchListener>();
  #created = 0n;
  #isOver = false;

  constructor(connection: Connection, metadata: Metadata) {
    this.connection = connection;
    this.#stream = connection.stream(WATCH_PATH, metadata, {
      received: (reply) => this.#received(reply),
      ended: (cause) => this.end(cause),
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns the end of the watch. The stream must not be over. */
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void {
    this.#created += 1n;
    const id = this.#created;
    this.#watches.set(id, listener);
    this.#stream.send(createWatch(id, key, fromRevision));
    return () => {
      if (!this.#watches.delete(id) || this.#isOver) return;
      this.#stream.send(cancelWatch(id));
      // An idle stream would keep the process alive.
      if (this.#watches.size === 0) this.end(undefined);
    };
  }

  /** Ends the stream, and tells every watch why. */
  end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const listeners = [...this.#watches.values()];
    this.#watches.clear();
    this.#stream.cancel();
    for (const listener of listeners) listener.ended(cause);
  }

  #received(reply: Fields): void {
    const { id, isCreated, ended, isDeleted } = decodeNotice(reply);
    // A refusal names no watch, and the token of the stream is the one it was opened with: all need another stream.
    if (isCreated && ended !== undefined) return this.end(new EtcdDoubt(`no watch: ${ended}`));
    const listener = this.#watches.get(id);
    if (listener === undefined) return;
    if (isCreated) listener.created();
    if (isDeleted) listener.deleted();
    if (ended === undefined) return;
    this.#watches.delete(id);
    listener.ended(new Error(`the watch was ended by the server: ${ended}`));
  }
}

/** Asks for the deletions of one key, from `fromRevision` on, under the number `id`. */
function createWatch(id: bigint, key: string, fromRevision: bigint): Writer {
  const create = new Writer().text(1, key).int(3, fromRevision).int(5, NO_PUT).int(7, id);
  return new Writer().message(1, create);
}

function cancelWatch(id: bigint): Writer {
  return new Writer().message(2, new Writer().int(1, id));
}

/** What the stream tells of one watch. */
interface WatchNotice {
  readonly id: bigint;
  /** The server has begun to watch. */
  readonly isCreated: boolean;
  /** Why the watch has ended; undefined if it has not. */
  readonly ended: string | undefined;
  readonly isDeleted: boolean;
}

function decodeNotice(reply: Fields): WatchNotice {
  const compacted = reply.int(5);
  const why = compacted > 0n ? `compacted up to revision ${compacted}` : reply.text(6);
  return {
    id: reply.int(2),
    isCreated: reply.bool(3),
    ended: reply.bool(4) || compacted > 0n ? why : undefined,
    isDeleted: reply.messages(11).some((event) => event.uint(1) === DELETED),
  };
}
