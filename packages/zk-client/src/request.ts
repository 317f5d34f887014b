import type { Operation } from './operation.ts';
import type { Answered } from './pending-requests.ts';
import type { SessionLink } from './session-link.ts';
import type { WatchKind, WatchListener } from './watches.ts';

export interface Watching {
  /** No longer interested: the listener is not called from here on, and nothing is kept for it. */
  readonly unwatch: () => void;
}

/** Sends what is prepared; rejects with what preparing or sending throws, and with what comes of it. */
export function request<T extends object>(
  link: SessionLink,
  prepare: () => Operation<T>,
): Promise<T & Answered> {
  return new Promise((resolve, reject) => {
    link.send(prepare(), {
      answered: (value, answer) => resolve({ ...value, ...answer }),
      failed: reject,
    });
  });
}

/** What is watched, by the server's path, and who is told. */
export interface WatchRequest {
  readonly kind: WatchKind;
  readonly path: string;
  readonly listener: WatchListener;
}

/** As `ask`; the listener is in place before anything that came behind the answer is read. */
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
        answered: (value, answer) => {
          const unwatch = link.watches.add(kind, path, value === operation.ifMissing, listener);
          done();
          resolve({ ...value, ...answer, unwatch });
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
