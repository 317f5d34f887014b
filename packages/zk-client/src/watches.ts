import { notifyAll } from './notify-all.ts';
import { type EmptyReply, OP, type Operation, readEmpty } from './operation.ts';
import type { WatchEvent, WatchEventType } from './watch-event.ts';

/** Called once at most. */
export type WatchListener = (event: WatchEvent) => void;

/** A watch on the node itself (also while it is missing), or on its list of children. */
export type WatchKind = 'node' | 'children';

interface Watch {
  /** True if there was no node when the watch was set. A server needs to know this to set it again. */
  readonly isMissing: boolean;
  readonly listeners: Set<WatchListener>;
}

const KINDS_OF: Readonly<Record<Exclude<WatchEventType, 'session-ended'>, readonly WatchKind[]>> = {
  created: ['node'],
  changed: ['node'],
  deleted: ['node', 'children'],
  children: ['children'],
};

/** Far below the largest request that a server accepts; as in `ClientCnxn`. */
const BATCH_BYTES = 128 * 1024;

/** The listeners to watches. A watch fires once; all listeners of one path share the watch that the server keeps. */
export class Watches {
  readonly #watches: Readonly<Record<WatchKind, Map<string, Watch>>> = {
    node: new Map(),
    children: new Map(),
  };
  /** Requests in flight that will set a watch. */
  readonly #expected: Readonly<Record<WatchKind, Map<string, number>>> = {
    node: new Map(),
    children: new Map(),
  };
  readonly #onUnused: (kind: WatchKind, path: string) => void;

  /** `onUnused` is called when a server keeps a watch without listeners. */
  constructor(onUnused: (kind: WatchKind, path: string) => void) {
    this.#onUnused = onUnused;
  }

  /** The number of watches that a server keeps. */
  get size(): number {
    return this.#watches.node.size + this.#watches.children.size;
  }

  /** Call this before the request is sent, and the returned function when the reply came or cannot come any more. */
  expect(kind: WatchKind, path: string): () => void {
    const expected = this.#expected[kind];
    expected.set(path, (expected.get(path) ?? 0) + 1);
    return () => {
      const left = (expected.get(path) ?? 0) - 1;
      if (left > 0) expected.set(path, left);
      else expected.delete(path);
    };
  }

  /** Adds a listener, when the reply that set the watch has come. Pass a new function each time. Returns its removal. */
  add(kind: WatchKind, path: string, isMissing: boolean, listener: WatchListener): () => void {
    const watches = this.#watches[kind];
    const watch = watches.get(path) ?? { isMissing, listeners: new Set() };
    watches.set(path, watch);
    watch.listeners.add(listener);
    return () => {
      if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
      if (watches.get(path) !== watch) return;
      watches.delete(path);
      // A request in flight relies on the watch that the server has.
      if (!this.#expected[kind].has(path)) this.#onUnused(kind, path);
    };
  }

  fire(event: WatchEvent): void {
    if (event.type === 'session-ended') return;
    for (const kind of KINDS_OF[event.type]) this.#end(kind, event.path, event);
  }

  /** Ends all watches: no event will follow. */
  endAll(): void {
    for (const kind of ['node', 'children'] as const) {
      const paths = [...this.#watches[kind].keys()];
      for (const path of paths) this.#end(kind, path, { type: 'session-ended', path });
    }
  }

  /** Returns requests that set every watch again on a new connection, each below the size that servers accept. */
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

  /** Fires the watches of a batch that could not be set again: their nodes may have changed. */
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
    // A listener may remove another one, which then is not called.
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

/** Removes a watch at the server. */
export function stopWatching(kind: WatchKind, path: string): Operation<EmptyReply> {
  return {
    type: OP.removeWatches,
    name: `stop watching ${path}`,
    write: (writer) => void writer.string(path).int(WATCHER[kind]),
    read: readEmpty,
  };
}
