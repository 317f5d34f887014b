import type { AcquireOptions, TryUseOptions } from './api.ts';
import { InvalidOptionError } from './errors.ts';
import { TTL_MS_MAX, TTL_MS_MIN } from './validity.ts';

type Name = keyof (AcquireOptions & TryUseOptions);
type Check = (value: unknown) => string | undefined;

const durationMs =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `must be a whole number of ms from ${min} to ${max}`;

const CHECKS: Record<Name, Check> = {
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
  readonly Name[]
> = {
  defaults: ['ttlMs', 'waitMs', 'renew', 'maxHoldMs'],
  acquire: ['ttlMs', 'waitMs', 'renew', 'maxHoldMs', 'signal'],
  tryAcquire: ['ttlMs', 'renew', 'maxHoldMs', 'signal'],
  tryUse: ['ttlMs', 'renew', 'maxHoldMs', 'signal', 'keepMs'],
};

/**
 * Refuses what a call cannot mean, before anything is sent. An option set to undefined counts as left out.
 * @throws InvalidOptionError naming the option, what is wrong with it, the key and the backend
 */
export function checkOptions(
  options: unknown,
  names: readonly Name[],
  details: { readonly key?: string | undefined; readonly backend: string },
): void {
  if (options === undefined) return;
  const refuse = (message: string): never => {
    throw new InvalidOptionError(message, details);
  };
  if (typeof options !== 'object' || options === null)
    return refuse(`options must be an object, not ${shown(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (!isOneOf(name, names))
      return refuse(`there is no option '${name}' here; there are ${names.join(', ')}`);
    if (value === undefined) continue;
    const complaint = CHECKS[name](value);
    if (complaint !== undefined) refuse(`option ${name} ${complaint}, not ${shown(value)}`);
  }
}

function isOneOf(name: string, names: readonly Name[]): name is Name {
  return names.some((each) => each === name);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
