import type { Runtime } from '@holdfast/core';

/** Enough turns of the event loop to connect: for the socket, TLS, the log-in, the database and the greeting, each. */
export const CONNECT_TURNS = 8;
/** One turn in which a reply can be read. */
export const REPLY_TURNS = 2;

/**
 * Runs `run` after `ms`, but not before the event loop has turned so often; returns its cancel. An event loop that is late
 * runs its timers first, and reads sockets after that. With one timer a process that gets too little of its machine would
 * give up each connection before it has read what came on it, and then spend all that it gets on new ones.
 */
export function patientTimer(
  runtime: Runtime,
  ms: number,
  turns: number,
  run: () => void,
): () => void {
  let cancel: () => void;
  const wait = (left: number): void => {
    cancel = runtime.timer(ms / turns, () => (left > 1 ? wait(left - 1) : run()));
  };
  wait(turns);
  return () => cancel();
}
