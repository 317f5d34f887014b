const BACK_OFF_MS_MIN = 10;
const BACK_OFF_MS_MAX = 500;

/**
 * How long to wait before connecting again after `failures` ≥ 1 failures in a row: doubling from 10 ms to 500 ms, of
 * which a random half is taken off, so that the clients of a restarted ensemble do not come back in step. It does not
 * depend on the session timeout: npm `zookeeper` waits for a third of it, and is late by that after every election.
 */
export function backOffMs(failures: number, random: number): number {
  return (
    Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2)
  );
}

/** As many servers as an ensemble has as a rule. A name may have more addresses, and a slow one of them needs its time, too. */
const ROUND_MAX = 5;
const ATTEMPT_MS_MIN = 200;
const FIRST_ATTEMPT_MS_MAX = 1_000;
const ATTEMPT_MS_MAX = 10_000;

/**
 * How long one attempt to connect may take. Within a third of the session timeout every server, or five of more, are tried once: one
 * that is paused accepts and stays silent, and so does one that is starting. It doubles whenever `tooLong` attempts have
 * made another round of the servers, for the network may be slower than that.
 */
export function attemptMs(timeoutMs: number, servers: number, tooLong: number): number {
  const round = Math.min(servers, ROUND_MAX);
  const firstMs = Math.min(FIRST_ATTEMPT_MS_MAX, Math.max(ATTEMPT_MS_MIN, timeoutMs / 3 / round));
  const rounds = Math.floor(tooLong / round);
  return Math.min(ATTEMPT_MS_MAX, firstMs * 2 ** Math.min(rounds, 10));
}
