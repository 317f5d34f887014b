/**
 * Times that two processes of one machine can compare: the monotonic clock counts from the start of the machine, and may
 * stop while it sleeps; the wall clock may jump.
 */
export interface Times {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const NS_PER_MS = 1e6;

/** Reads both clocks of this machine. */
export function readClocks(): Times {
  return { monotonicMs: Number(process.hrtime.bigint()) / NS_PER_MS, wallMs: Date.now() };
}

/** The rest until `deadline`, in ms, by the clock that says less; negative after it. */
export function leftMs(deadline: Times, now: Times): number {
  return Math.min(deadline.monotonicMs - now.monotonicMs, deadline.wallMs - now.wallMs);
}

/** The deadline that is `ms` after `now` on both clocks. */
export function after(now: Times, ms: number): Times {
  return { monotonicMs: now.monotonicMs + ms, wallMs: now.wallMs + ms };
}
