/** Nothing is scheduled any more, and the main function still waits: a deadlock, or a wait for something real. */
export class SimStuckError extends Error {
  override readonly name = 'SimStuckError';

  constructor(atMs: number) {
    super(`nothing is scheduled at ${atMs} ms, and main still waits`);
  }
}

/** The world went on for longer than its limits allow, for example because something polls for ever. */
export class SimLimitError extends Error {
  override readonly name = 'SimLimitError';
}

/** A promise was rejected and nobody handled it; on a real Node this ends the process. The reason is the `cause`. */
export class SimUnhandledError extends Error {
  override readonly name = 'SimUnhandledError';

  constructor(atMs: number, reason: unknown) {
    super(`unhandled rejection at ${atMs} ms: ${String(reason)}`, { cause: reason });
  }
}

/** Simulated code reached for a real clock, timer or random source, which no schedule could ever repeat. */
export class SimAmbientError extends Error {
  override readonly name = 'SimAmbientError';

  constructor(what: string) {
    super(`${what} was called inside the simulation; use the runtime of the process`);
  }
}
