import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import { nothing, OP } from './operation.ts';

/** The end of a session that its owner wants: the servers are told, for a limited time. */
export class Farewell {
  /** Resolves when they know, or when the time is over. */
  readonly done: Promise<void>;
  readonly finish: () => void;

  constructor(clock: Clock, timeoutMs: number, finished: () => void) {
    let resolve: () => void;
    this.done = new Promise((resolved) => {
      resolve = resolved;
    });
    const cancel = clock.timer(timeoutMs, () => this.finish(), { awaited: true });
    this.finish = () => {
      cancel();
      finished();
      resolve();
    };
  }

  say(connection: Connection): void {
    const operation = {
      type: OP.closeSession,
      name: 'close the session',
      write: () => undefined,
      read: nothing,
    };
    connection.send(operation, {
      answered: () => this.finish(),
      // The next connection tells whether it was heard; the limit ends the trying.
      failed: () => undefined,
    });
  }
}
