import type { Operation } from './operation.ts';
import type { Answered } from './pending-requests.ts';
import type { SessionLink } from './session-link.ts';
import type { WatchKind, WatchListener } from './watches.ts';

/** A watch that is set. */
export interface Watching {
  /** Removes the watch: the listener is not called any more, and nothing is kept for it. */
  readonly unwatch: () => void;
}

/** Prepares and sends a request. Rejects with what preparing or sending throws, or as the request fails. */
export function request<T extends object>(
  link: SessionLink,
  prepare: () => Operation<T>,
): Promise<T & Answered> {
  return new Promise((resolve, reject) => {
    link.send(prepare(), {
      replied: (value, reply) => resolve({ ...value, ...reply }),
      failed: reject,
    });
  });
}

/** A watch to set, by the server's path, and its listener. */
export interface WatchRequest {
  readonly kind: WatchKind;
  readonly path: string;
  readonly listener: WatchListener;
}

/** Like `request`, with a watch. The listener is in place before anything that came behind the reply is read. */
export function requestAndWatch<T extends object>(
  link: SessionLink,
  prepare: () => { readonly operation: Operation<T>; readonly watch: WatchRequest },
): Promise<T & Answered & Watching> {
  return new Promise((resolve, reject) => {
    const { operation, watch } = prepare();
    const { kind, path, listener } = watch;
    const done = link.watches.expect(kind, path);
    try {
      link.send(operation, {
        replied: (value, reply) => {
          const unwatch = link.watches.add(kind, path, value === operation.ifMissing, listener);
          done();
          resolve({ ...value, ...reply, unwatch });
        },
        failed: (error) => {
          done();
          reject(error);
        },
      });
    } catch (error) {
      done();
      throw error;
    }
  });
}
