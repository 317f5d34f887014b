import type { Runtime } from '@holdfast/core';
import { pauseMs } from './node-deleter.ts';
import type { SessionHandle } from './session-handle.ts';

export interface ReplacementOptions {
  readonly runtime: Runtime;
  readonly open: () => Promise<SessionHandle>;
  /** No session was to be had, because of this. */
  readonly failed: (cause: unknown) => void;
}

/**
 * For how long a session may be without a connection before another is opened beside it, in T. All of its leases have
 * ended by then, and where servers were there they have ended the session itself.
 */
const DISCONNECTED_SHARE = 2;
/** For how much longer it may then come back after all, with its places in the queues. */
const GRACE_SHARE = 1;

/**
 * Another session for one that has just lost its connection; undefined when that comes back in time, or is over. Servers
 * that came back without their data turn away for ever whoever has seen more of them; a new session has seen nothing.
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

/** From the loss of a session's connection until it has another, or is over. */
class Disconnection {
  readonly #runtime: Runtime;
  readonly #ended: Promise<void>;

  constructor(handle: SessionHandle, runtime: Runtime) {
    this.#runtime = runtime;
    this.#ended = handle.connectedOrOver();
  }

  /** True when it has gone on for another `ms`; false as soon as it is over. */
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
