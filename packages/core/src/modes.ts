import { CapabilityError, InvalidOptionError } from './errors.ts';
import { shown } from './options.ts';
import type { Backend, HoldMode } from './port.ts';

/** The most permits that a semaphore can have. */
export const PERMITS_MAX = 1_000_000;

/** The mode of a reader. */
export const SHARED: HoldMode = { kind: 'shared' };
/** The mode of a writer among readers. */
export const WRITER: HoldMode = { kind: 'exclusive' };

/** The mode of a holder of `permits` out of `of`. @throws InvalidOptionError if no such hold can ever exist */
export function permitsMode(
  permits: unknown,
  of: number,
  details: { readonly key: string; readonly backend: string },
): HoldMode {
  return { kind: 'permits', permits: checkPermits(permits, of, details), of };
}

/** @throws InvalidOptionError unless it is a whole number from 1 to `max` */
export function checkPermits(
  permits: unknown,
  max: number,
  details: { readonly key: string; readonly backend: string },
): number {
  if (typeof permits === 'number' && Number.isInteger(permits) && permits >= 1 && permits <= max)
    return permits;
  const message = `permits must be a whole number from 1 to ${max}, not ${shown(permits)}`;
  throw new InvalidOptionError(message, details);
}

/** @throws CapabilityError if the backend does not have the mode */
export function checkMode(
  { name: backend, capabilities }: Pick<Backend, 'name' | 'capabilities'>,
  mode: 'shared' | 'permits',
  key: string,
): void {
  if (capabilities.modes?.includes(mode) === true) return;
  const what = mode === 'shared' ? 'readers and writers' : 'semaphores';
  const { exclusiveSince } = capabilities;
  const why = exclusiveSince === undefined ? '' : `, since ${exclusiveSince}`;
  const message = `${backend} has no ${what}: '${key}' can only be held exclusively${why}`;
  throw new CapabilityError(message, { key, backend });
}
