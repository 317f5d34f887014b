import type { Runtime } from '@holdfast/core';
import { pauseMs } from './node-deleter.ts';
import type { SessionHandle } from './session-handle.ts';

export interface ReplacementOptions {
  readonly runtime: Runtime;
  readonly open: () => Promise<SessionHandle>;
  /** Called with the reason when an opening failed. */
  readonly failed: (cause: unknown) => void;
}

/**
 * The time without a connection after which another session is opened, in T. All leases of the old session have ended by
 * then, and running servers have expired the session.
 */
const DISCONNECTED_SHARE = 2;
/** The further time in which the old session may still reconnect and keep its places in the queues, in T. */
const GRACE_SHARE = 1;

/**
 * Opens another session for one that has just lost its connection. Resolves to undefined if the old one reconnects in time,
 * or has ended. Servers that restarted without their data reject every client that has seen more than they have, permanently;
 * a new session has seen nothing.
 */
export async function openReplacementSession(
  old: SessionHandle,
  { runtime, open, failed }: ReplacementOptions,
): Promise<SessionHandle | undefined> {
  const { timeoutMs } = old.session;
  const disconnection = new Disconnection(old, runtime);
  let isDisconnected = await disconnection.lasts(DISCONNECTED_SHARE * timeoutMs);
  for (let failures = 0; isDisconnected; failures++) {
    try {
      const next = await open();
      if (await disconnection.lasts(GRACE_SHARE * timeoutMs)) return next;
      await next.session.close();
      return undefined;
    } catch (cause) {
      failed(cause);
      isDisconnected = await disconnection.lasts(pauseMs(runtime, failures));
    }
  }
  return undefined;
}

/** The time from the loss of a session's connection until the session is connected again, or has ended. */
class Disconnection {
  readonly #runtime: Runtime;
  readonly #ended: Promise<void>;

  constructor(handle: SessionHandle, runtime: Runtime) {
    this.#runtime = runtime;
    this.#ended = handle.connectedOrOver();
  }

  /** Resolves to true after another `ms` without a connection; to false as soon as the disconnection is over. */
  lasts(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#runtime.timer(ms, () => resolve(true));
      void this.#ended.then(() => {
        cancel();
        resolve(false);
      });
    });
  }
}
