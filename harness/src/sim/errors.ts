/** No event is scheduled and the main function still waits: a deadlock, or a wait for something real. */
export class SimStuckError extends Error {
  override readonly name = 'SimStuckError';

  constructor(atMs: number) {
    super(`nothing is scheduled at ${atMs} ms, and main still waits`);
  }
}

/** The world ran for longer than its limits allow, for example because code polls without end. */
export class SimLimitError extends Error {
  override readonly name = 'SimLimitError';
}

/** A promise was rejected and not handled; on a real Node this ends the process. The reason is the `cause`. */
export class SimUnhandledError extends Error {
  override readonly name = 'SimUnhandledError';

  constructor(atMs: number, reason: unknown) {
    super(`unhandled rejection at ${atMs} ms: ${String(reason)}`, { cause: reason });
  }
}

/** Simulated code used a real clock, timer or random source, or the world outside: no schedule could repeat that. */
export class SimAmbientError extends Error {
  override readonly name = 'SimAmbientError';

  constructor(what: string) {
    super(`${what} was called inside the simulation, where ${insteadOf(what)}`);
  }
}

/** The part of the `Runtime` to use in its place, by the last part of the name. */
const INSTEAD: readonly (readonly [called: RegExp, instead: string])[] = [
  [/subtle|pbkdf2|scrypt|hkdf/, 'nothing can be left to another thread, which takes real time'],
  [/Date|performance|hrtime|uptime/, 'clocks are read by now() and elapsedMs() of host.runtime'],
  [
    /\bset(?:Timeout|Interval|Immediate)|AbortSignal|Animation|scheduler/,
    'waiting is done by timer() of host.runtime',
  ],
  [/crypto|[Rr]andom/, 'chance comes from randomId() and random() of host.runtime'],
  [/Finalization/, 'what is collected is told by onCollected() of host.runtime'],
];

function insteadOf(what: string): string {
  const own = INSTEAD.find(([called]) => called.test(what))?.[1];
  return own ?? 'nothing but the nodes it is given can be reached';
}

let before: number | undefined;

/**
 * Makes errors without stacks. A search makes thousands that are never read, at several microseconds each. A
 * counterexample runs again with a trace, and then errors have stacks.
 */
export function omitStacks(): void {
  if (before !== undefined || Error.stackTraceLimit === 0) return;
  before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

export function restoreStacks(): void {
  if (before === undefined) return;
  Error.stackTraceLimit = before;
  before = undefined;
}
