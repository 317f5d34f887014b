import type { Clock } from './clock.ts';
import { OP, readEmpty } from './operation.ts';
import type { ServerConnection } from './server-connection.ts';

/** The time for one server to reply if there are others. */
const SERVER_WAIT_MS_MAX = 1_000;
const SERVER_WAIT_SHARE = 1 / 3;

export interface SessionCloserOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** True if there are other addresses. */
  readonly hasOtherServers: () => boolean;
  readonly finished: () => void;
}

/** Closes a session at the servers, within a limited time. */
export class SessionCloser {
  /** Resolves when a server has replied, when no server listens, or when the time is over. */
  readonly done: Promise<void>;
  readonly finish: () => void;
  readonly #options: SessionCloserOptions;
  #stopWaiting: () => void = () => undefined;

  constructor(options: SessionCloserOptions) {
    const { clock, timeoutMs, finished } = options;
    this.#options = options;
    let resolve: () => void;
    this.done = new Promise((resolved) => {
      resolve = resolved;
    });
    const cancel = clock.timer(timeoutMs, () => this.finish(), { awaited: true });
    const finish = (): void => {
      cancel();
      this.#stopWaiting();
      finished();
      resolve();
    };
    this.finish = finish;
  }

  closeNow(connection: ServerConnection): void {
    const operation = {
      type: OP.closeSession,
      name: 'close the session',
      write: () => undefined,
      read: readEmpty,
    };
    connection.send(operation, {
      replied: () => this.finish(),
      // The next connection shows whether the request arrived; the time limit ends the retries.
      failed: () => this.#stopWaiting(),
    });
    if (this.#options.hasOtherServers()) this.#waitFor(connection);
  }

  #waitFor(connection: ServerConnection): void {
    const { clock, timeoutMs } = this.#options;
    const ms = Math.min(SERVER_WAIT_MS_MAX, timeoutMs * SERVER_WAIT_SHARE);
    const silence = `${connection.server.name} did not reply to the closing of the session`;
    this.#stopWaiting = clock.timer(ms, () => connection.fail(new Error(silence)));
  }
}
