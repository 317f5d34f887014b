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

/** Simulated code reached for a real clock, timer, random source or for the world outside, which no schedule could ever repeat. */
export class SimAmbientError extends Error {
  override readonly name = 'SimAmbientError';

  constructor(what: string) {
    super(`${what} was called inside the simulation, where ${insteadOf(what)}`);
  }
}

/** What of the `Runtime` to use in its place, by the last part of the name. */
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
 * Has errors made without stacks. A search makes thousands that nobody will ever read, at several microseconds each;
 * what it finds is played again with a trace, and then errors have theirs.
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
