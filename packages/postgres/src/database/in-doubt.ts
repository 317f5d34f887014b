import type { Runtime } from '@holdfast/core';
import { leavesUsable, sentError } from './outcome.ts';
import type { SessionReply } from './session.ts';

/** The time after which a connection without a reply is given up. */
const REPLY_MS_MAX = 15_000;

/**
 * Waits for the reply of a connection whose caller has given up, and calls `end` once: with true if the connection can be
 * used again. Meanwhile it counts as taken. A server whose commits wait for a dead standby would otherwise get one more
 * connection with every attempt, and go on with each after its end, until it has none left for others.
 */
export function awaitLateReply(
  runtime: Runtime,
  running: Promise<SessionReply>,
  address: string,
  end: (isUsable: boolean) => void,
): void {
  let isOver = false;
  const endOnce = (isUsable: boolean): void => {
    if (isOver) return;
    isOver = true;
    cancel();
    end(isUsable);
  };
  const cancel = runtime.timer(REPLY_MS_MAX, () => endOnce(false));
  running.then(
    () => endOnce(true),
    (cause: unknown) => endOnce(leavesUsable(sentError(cause, address))),
  );
}
