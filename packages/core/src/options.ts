import type { AcquireOptions, TryUseOptions } from './api/options.ts';
import { InvalidOptionError } from './errors.ts';
import { redactUrl, unknownName } from './quote.ts';
import { TTL_MS_MAX, TTL_MS_MIN } from './validity.ts';

/** Characters of a wrong string that a message shows. */
const SHOWN_MAX = 80;

type AnyCallOptions = AcquireOptions & TryUseOptions;
type OptionName = keyof AnyCallOptions;
type OptionCheck = (value: unknown) => string | undefined;
type ErrorDetails = { readonly key?: string | undefined; readonly backend?: string | undefined };

const durationMs =
  (min: number, max: number): OptionCheck =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `must be a whole number of ms from ${min} to ${max}`;

const CHECKS: Record<OptionName, OptionCheck> = {
  ttlMs: durationMs(TTL_MS_MIN, TTL_MS_MAX),
  maxHoldMs: durationMs(TTL_MS_MIN, Number.MAX_SAFE_INTEGER),
  keepMs: durationMs(1, TTL_MS_MAX),
  waitMs: (value) =>
    value === Number.POSITIVE_INFINITY
      ? undefined
      : durationMs(0, Number.MAX_SAFE_INTEGER)(value)?.concat(', or Infinity'),
  renew: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  signal: (value) => (value instanceof AbortSignal ? undefined : 'must be an AbortSignal'),
};

/** The options of each kind of call. */
export const OPTION_NAMES: Record<
  'defaults' | 'acquire' | 'tryAcquire' | 'tryUse' | 'elect',
  readonly OptionName[]
> = {
  defaults: ['ttlMs', 'waitMs', 'renew', 'maxHoldMs'],
  acquire: ['ttlMs', 'waitMs', 'renew', 'maxHoldMs', 'signal'],
  tryAcquire: ['ttlMs', 'renew', 'maxHoldMs', 'signal'],
  tryUse: ['ttlMs', 'renew', 'maxHoldMs', 'signal', 'keepMs'],
  elect: ['ttlMs', 'maxHoldMs', 'signal'],
};

/**
 * Rejects invalid options, before anything is sent. An undefined option counts as absent.
 * @returns the checked values, so that a getter cannot return another value when the option is used
 * @throws InvalidOptionError naming the option, what is wrong with it, the key and the backend
 */
export function checkOptions(
  options: unknown,
  names: readonly OptionName[],
  details: ErrorDetails,
): AnyCallOptions {
  const values: Partial<Record<OptionName, unknown>> = readNames(options, names, details);
  for (const name of names) {
    const value = values[name];
    const complaint = value === undefined ? undefined : CHECKS[name](value);
    if (complaint !== undefined)
      throw new InvalidOptionError(`option ${name} ${complaint}, not ${shown(value)}`, details);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each of them has just been checked
  return values as AnyCallOptions;
}

/**
 * Rejects what is no function, in particular options in the place of the body.
 * @throws InvalidOptionError
 */
export function checkBody(body: unknown, options: unknown, details: ErrorDetails): void {
  if (typeof body === 'function') return;
  const message =
    typeof options === 'function'
      ? 'use, tryUse and elect take the body before the options: use(key, body, options)'
      : `the body of use, tryUse and elect must be a function, not ${body === null ? 'null' : typeof body}`;
  throw new InvalidOptionError(message, details);
}

/**
 * Rejects a ttl that is too short or too long: one call may take a tenth of it, which below 100 ms is too short for a
 * round trip.
 * @example
 * ```ts
 * checkTtl(30_000, 'orders/42', 'my-lock');
 * checkTtl(50, 'orders/42', 'my-lock'); // throws InvalidOptionError
 * ```
 * @throws InvalidOptionError unless `ttlMs` is a whole number of ms from 100 to 86 400 000
 */
export function checkTtl(ttlMs: number, key: string, backend: string): void {
  if (Number.isInteger(ttlMs) && ttlMs >= TTL_MS_MIN && ttlMs <= TTL_MS_MAX) return;
  const range = `a whole number of ms from ${TTL_MS_MIN} to ${TTL_MS_MAX}`;
  const message = `${backend}: ttlMs must be ${range}, not ${ttlMs}`;
  throw new InvalidOptionError(message, { key, backend });
}

/**
 * Reads `timeoutMs` from the options of `close`; undefined if it is absent.
 * @throws InvalidOptionError unless it is a finite number of ms, 0 or more; for unknown options
 */
export function closeTimeoutMs(options: unknown, backend: string): number | undefined {
  const { timeoutMs } = readNames(options, ['timeoutMs'], { backend });
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) && timeoutMs >= 0)
    return timeoutMs;
  const message = `option timeoutMs must be a finite number of ms, 0 or more, not ${shown(timeoutMs)}`;
  throw new InvalidOptionError(message, { backend });
}

/**
 * Reads the values of `options` under these names, inherited or not: callers pass instances of classes, and objects
 * that inherit shared defaults.
 * @throws InvalidOptionError if `options` is not an object, or has another name
 */
export function readNames<N extends string>(
  options: unknown,
  names: readonly N[],
  details: ErrorDetails,
  what = 'option',
): { [Each in N]?: unknown } {
  const values: { [Each in N]?: unknown } = {};
  if (options === undefined) return values;
  if (typeof options !== 'object' || options === null)
    throw new InvalidOptionError(`${what}s must be an object, not ${shown(options)}`, details);
  for (const name in options)
    if (!names.some((each) => each === name))
      throw new InvalidOptionError(unknownName(what, name, names), details);
  for (const name of names) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/**
 * A wrong value for a message: never a whole object, never a password.
 * @example
 * ```ts
 * if (typeof namespace !== 'string')
 *   throw new InvalidOptionError(`namespace must be a string, not ${shown(namespace)}`);
 * ```
 */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(redactUrl(value).slice(0, SHOWN_MAX));
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}
