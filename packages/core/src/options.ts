import type { AcquireOptions, TryUseOptions } from './api.ts';
import { InvalidOptionError } from './errors.ts';
import { unknownName } from './nearest.ts';
import { redactUrl } from './redact.ts';
import { TTL_MS_MAX, TTL_MS_MIN } from './validity.ts';

/** Of a wrong string, no more is shown than helps to find it. */
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

/** What each kind of call takes. */
export const OPTION_NAMES: Record<
  'defaults' | 'acquire' | 'tryAcquire' | 'tryUse',
  readonly OptionName[]
> = {
  defaults: ['ttlMs', 'waitMs', 'renew', 'maxHoldMs'],
  acquire: ['ttlMs', 'waitMs', 'renew', 'maxHoldMs', 'signal'],
  tryAcquire: ['ttlMs', 'renew', 'maxHoldMs', 'signal'],
  tryUse: ['ttlMs', 'renew', 'maxHoldMs', 'signal', 'keepMs'],
};

/**
 * Refuses what a call cannot mean, before anything is sent. An option set to undefined counts as left out.
 * @returns what was checked, so that a getter cannot answer differently when the option is used
 * @throws InvalidOptionError naming the option, what is wrong with it, the key and the backend
 */
export function checkOptions(
  options: unknown,
  names: readonly OptionName[],
  details: ErrorDetails,
): AnyCallOptions {
  const given: Partial<Record<OptionName, unknown>> = readNames(options, names, details);
  for (const name of names) {
    const value = given[name];
    const complaint = value === undefined ? undefined : CHECKS[name](value);
    if (complaint !== undefined)
      throw new InvalidOptionError(`option ${name} ${complaint}, not ${shown(value)}`, details);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each of them has just been checked
  return given as AnyCallOptions;
}

/**
 * Refuses a ttl that cannot be kept: one call may take a tenth of it, and below 100 ms that is no time for a round trip.
 * @throws InvalidOptionError unless `ttlMs` is a whole number of ms from 100 to 86 400 000
 */
export function checkTtl(ttlMs: number, key: string, backend: string): void {
  if (Number.isInteger(ttlMs) && ttlMs >= TTL_MS_MIN && ttlMs <= TTL_MS_MAX) return;
  const range = `a whole number of ms from ${TTL_MS_MIN} to ${TTL_MS_MAX}`;
  const message = `${backend}: ttlMs must be ${range}, not ${ttlMs}`;
  throw new InvalidOptionError(message, { key, backend });
}

/**
 * `timeoutMs` of the options of `close`; undefined when it is left out.
 * @throws InvalidOptionError for anything that is not a finite number of ms, 0 or more; for options that there are not
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
 * What stands in `options` under these names, inherited or not: people hand over instances of classes, and objects
 * made from shared defaults.
 * @throws InvalidOptionError where it is no object, or has a name that is none of them
 */
export function readNames<N extends string>(
  options: unknown,
  names: readonly N[],
  details: ErrorDetails,
  what = 'option',
): { [Each in N]?: unknown } {
  const given: { [Each in N]?: unknown } = {};
  if (options === undefined) return given;
  if (typeof options !== 'object' || options === null)
    throw new InvalidOptionError(`${what}s must be an object, not ${shown(options)}`, details);
  for (const name in options)
    if (!names.some((each) => each === name))
      throw new InvalidOptionError(unknownName(what, name, names), details);
  for (const name of names) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** The options of a call on top of those of its lock; one set to undefined counts as left out. */
export function mergeOptions(
  bound: AnyCallOptions,
  call: AnyCallOptions | undefined,
): AnyCallOptions {
  if (call === undefined) return bound;
  // Anything else is none, and refused where options are checked.
  if (typeof call !== 'object' || call === null) return call;
  const given = namesIn(call).map((name) => [name, Reflect.get(call, name)] as const);
  return { ...bound, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
}

/** All that an object may be asked for as options: what it shows, and what a class defines without showing it. */
function namesIn(options: object): string[] {
  const names = new Set<string>(Object.keys(CHECKS));
  for (const name in options) names.add(name);
  return [...names];
}

/** A wrong value, as far as it may be shown: never a whole object, never a password. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(redactUrl(value).slice(0, SHOWN_MAX));
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}
