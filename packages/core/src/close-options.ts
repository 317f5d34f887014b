import { InvalidOptionError } from './errors.ts';

/**
 * `timeoutMs` of the options of `close`; undefined when it is left out.
 * @throws InvalidOptionError for anything that is not a finite number of ms, 0 or more; for options that there are not
 */
export function closeTimeoutMs(options: unknown, backend: string): number | undefined {
  if (options === undefined) return undefined;
  const refuse = (message: string): never => {
    throw new InvalidOptionError(message, { backend });
  };
  if (typeof options !== 'object' || options === null)
    return refuse(`options of close must be an object, not ${shown(options)}`);
  const unknown = Object.keys(options).find((name) => name !== 'timeoutMs');
  if (unknown !== undefined)
    return refuse(`there is no option '${unknown}' here; there is timeoutMs`);
  const timeoutMs: unknown = 'timeoutMs' in options ? options.timeoutMs : undefined;
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) && timeoutMs >= 0)
    return timeoutMs;
  return refuse(
    `option timeoutMs must be a finite number of ms, 0 or more, not ${shown(timeoutMs)}`,
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
