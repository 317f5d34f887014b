import { MalformedError, type Reader } from './jute.ts';

/** What happened to a node that is watched; `session-ended` tells that nothing more will be heard. */
export type WatchEventType = 'created' | 'deleted' | 'changed' | 'children' | 'session-ended';

export interface WatchEvent {
  readonly type: WatchEventType;
  readonly path: string;
}

const TYPES: ReadonlyMap<number, WatchEventType> = new Map([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'changed'],
  [4, 'children'],
]);

/** Numbers as in `Watcher.Event.EventType`. */
export function readWatchEvent(reader: Reader): WatchEvent {
  const number = reader.int();
  const type = TYPES.get(number);
  if (type === undefined) throw new MalformedError(`an event of unknown type ${number}`);
  reader.int();
  return { type, path: reader.string() };
}
