import { InvalidOptionError } from './errors.ts';
import { readNames, shown } from './options.ts';

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
