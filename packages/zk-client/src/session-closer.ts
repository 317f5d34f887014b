import type { Clock } from './clock.ts';
import { OP, readEmpty } from './operation.ts';
import type { ServerConnection } from './server-connection.ts';

/** How long one server is waited for where there are others. */
const SERVER_WAIT_MS_MAX = 1_000;
const SERVER_WAIT_SHARE = 1 / 3;

export interface SessionCloserOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Another address may answer where one does not. */
  readonly hasOtherServers: () => boolean;
  readonly finished: () => void;
}

/** The end of a session that its owner wants: the servers are told, for a limited time. */
export class SessionCloser {
  /** Resolves when they know, when nobody listens, or when the time is over. */
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
      answered: () => this.finish(),
      // The next connection tells whether it was heard; the limit ends the trying.
      failed: () => this.#stopWaiting(),
    });
    if (this.#options.hasOtherServers()) this.#waitFor(connection);
  }

  #waitFor(connection: ServerConnection): void {
    const { clock, timeoutMs } = this.#options;
    const ms = Math.min(SERVER_WAIT_MS_MAX, timeoutMs * SERVER_WAIT_SHARE);
    const silence = `${connection.server.name} did not answer to the farewell`;
    this.#stopWaiting = clock.timer(ms, () => connection.fail(new Error(silence)));
  }
}
