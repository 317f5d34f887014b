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
    super(`${what} was called inside the simulation; use ${replacementFor(what)}`);
  }
}

/** The part of the `Runtime` to use in its place, by the last part of the name. */
const REPLACEMENTS: readonly (readonly [called: RegExp, replacement: string])[] = [
  [/subtle|pbkdf2|scrypt|hkdf/, 'code on this thread: work on another one takes real time'],
  [/Date|performance|hrtime|uptime/, 'now() and elapsedMs() of host.runtime'],
  [
    /\bset(?:Timeout|Interval|Immediate)|AbortSignal|Animation|scheduler/,
    'timer() of host.runtime',
  ],
  [/crypto|[Rr]andom/, 'randomId() and random() of host.runtime'],
  [/Finalization/, 'onCollected() of host.runtime'],
];

function replacementFor(what: string): string {
  const replacement = REPLACEMENTS.find(([called]) => called.test(what))?.[1];
  return replacement ?? 'only the nodes that the lock is given';
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
