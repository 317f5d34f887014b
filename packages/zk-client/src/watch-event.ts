import { MalformedError, type Reader } from './jute.ts';

/** The change of a watched node; after `session-ended` no event follows. */
export type WatchEventType = 'created' | 'deleted' | 'changed' | 'children' | 'session-ended';

/** What a watch reports, once. */
export interface WatchEvent {
  /** What happened. */
  readonly type: WatchEventType;
  /** The node, as it was watched. */
  readonly path: string;
}

const TYPES: ReadonlyMap<number, WatchEventType> = new Map([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'changed'],
  [4, 'children'],
]);

/** Reads an event; numbers as in `Watcher.Event.EventType`. */
export function readWatchEvent(reader: Reader): WatchEvent {
  const number = reader.int();
  const type = TYPES.get(number);
  if (type === undefined) throw new MalformedError(`an event of unknown type ${number}`);
  reader.int();
  return { type, path: reader.string() };
}
