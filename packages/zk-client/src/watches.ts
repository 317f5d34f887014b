import { notifyAll } from './notify-all.ts';
import { type EmptyReply, OP, type Operation, readEmpty } from './operation.ts';
import type { WatchEvent, WatchEventType } from './watch-event.ts';

/** Told once at most. */
export type WatchListener = (event: WatchEvent) => void;

/** Of the node itself (also while it is missing), or of its list of children. */
export type WatchKind = 'node' | 'children';

interface Watch {
  /** Whether there was no node when the watch was set: to set it again, a server needs to know. */
  readonly isMissing: boolean;
  readonly listeners: Set<WatchListener>;
}

const KINDS_OF: Readonly<Record<Exclude<WatchEventType, 'session-ended'>, readonly WatchKind[]>> = {
  created: ['node'],
  changed: ['node'],
  deleted: ['node', 'children'],
  children: ['children'],
};

/** Far below the largest request that a server takes; the same as `ClientCnxn`'s. */
const BATCH_BYTES = 128 * 1024;

/** Who wants to hear what. Watches are one-shot; all listeners of one path share the one that the server has. */
export class Watches {
  readonly #watches: Readonly<Record<WatchKind, Map<string, Watch>>> = {
    node: new Map(),
    children: new Map(),
  };
  /** Requests on the wire that will set a watch. */
  readonly #expected: Readonly<Record<WatchKind, Map<string, number>>> = {
    node: new Map(),
    children: new Map(),
  };
  readonly #onUnused: (kind: WatchKind, path: string) => void;

  /** `dropped` is called when a server keeps a watch that nobody wants any more. */
  constructor(onUnused: (kind: WatchKind, path: string) => void) {
    this.#onUnused = onUnused;
  }

  /** How many watches a server keeps for us. */
  get size(): number {
    return this.#watches.node.size + this.#watches.children.size;
  }

  /** Call it before the request leaves, and what it returns when the answer came or cannot come any more. */
  expect(kind: WatchKind, path: string): () => void {
    const expected = this.#expected[kind];
    expected.set(path, (expected.get(path) ?? 0) + 1);
    return () => {
      const left = (expected.get(path) ?? 0) - 1;
      if (left > 0) expected.set(path, left);
      else expected.delete(path);
    };
  }

  /** The answer that set the watch has come. Every interest has a function of its own. Returns the end of the interest. */
  add(kind: WatchKind, path: string, isMissing: boolean, listener: WatchListener): () => void {
    const watches = this.#watches[kind];
    const watch = watches.get(path) ?? { isMissing, listeners: new Set() };
    watches.set(path, watch);
    watch.listeners.add(listener);
    return () => {
      if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
      if (watches.get(path) !== watch) return;
      watches.delete(path);
      // A request on the wire is going to rely on the watch that the server has.
      if (!this.#expected[kind].has(path)) this.#onUnused(kind, path);
    };
  }

  fire(event: WatchEvent): void {
    if (event.type === 'session-ended') return;
    for (const kind of KINDS_OF[event.type]) this.#end(kind, event.path, event);
  }

  /** No server will tell them anything more. */
  endAll(): void {
    for (const kind of ['node', 'children'] as const) {
      const paths = [...this.#watches[kind].keys()];
      for (const path of paths) this.#end(kind, path, { type: 'session-ended', path });
    }
  }

  /** Requests that set every watch again on a new connection, each below the size that servers take. */
  *setWatchesBatches(sinceZxid: bigint): Generator<SetWatchesBatch> {
    let batch = new SetWatchesBatch(sinceZxid);
    for (const kind of ['node', 'children'] as const) {
      for (const [path, { isMissing }] of this.#watches[kind]) {
        if (batch.bytes > BATCH_BYTES) {
          yield batch;
          batch = new SetWatchesBatch(sinceZxid);
        }
        batch.add(kind, path, isMissing);
      }
    }
    if (batch.bytes > 0) yield batch;
  }

  /** Those of the batch could not be set again: whatever happened, listeners had better look. */
  fireUnrestored(batch: SetWatchesBatch): void {
    for (const path of [...batch.present, ...batch.missing]) {
      this.#end('node', path, { type: 'changed', path });
    }
    for (const path of batch.children) this.#end('children', path, { type: 'children', path });
  }

  #end(kind: WatchKind, path: string, event: WatchEvent): void {
    const watch = this.#watches[kind].get(path);
    if (watch === undefined) return;
    this.#watches[kind].delete(path);
    const listeners = [...watch.listeners];
    // Who is told may drop another's interest, which then is not told.
    notifyAll(
      listeners.map((listener) => (fired: WatchEvent) => {
        if (watch.listeners.delete(listener)) listener(fired);
      }),
      event,
    );
  }
}

/** A `SetWatches` request: the server sends at once the events of what changed since `sinceZxid`. */
export class SetWatchesBatch {
  readonly present: string[] = [];
  readonly missing: string[] = [];
  readonly children: string[] = [];
  readonly #sinceZxid: bigint;
  bytes = 0;

  constructor(sinceZxid: bigint) {
    this.#sinceZxid = sinceZxid;
  }

  add(kind: WatchKind, path: string, isMissing: boolean): void {
    const list = kind === 'children' ? this.children : isMissing ? this.missing : this.present;
    list.push(path);
    this.bytes += 4 + 3 * path.length;
  }

  get operation(): Operation<EmptyReply> {
    return {
      type: OP.setWatches,
      name: 'set watches again',
      write: (writer) => {
        writer.long(this.#sinceZxid);
        for (const paths of [this.present, this.missing, this.children]) {
          writer.vector(paths, (path, each) => void each.string(path));
        }
      },
      read: readEmpty,
    };
  }
}

/** Numbers as in `WatcherType`. */
const WATCHER = { children: 1, node: 2 } as const;

/** Tells the server that nobody wants its watch any more. */
export function stopWatching(kind: WatchKind, path: string): Operation<EmptyReply> {
  return {
    type: OP.removeWatches,
    name: `stop watching ${path}`,
    write: (writer) => void writer.string(path).int(WATCHER[kind]),
    read: readEmpty,
  };
}
