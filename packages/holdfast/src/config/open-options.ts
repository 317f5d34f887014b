import { didYouMean, InvalidOptionError, redactUrl } from '@holdfast/core';
import { optionNames } from './check-config.ts';
import { defaults } from './fields.ts';

/** What the second argument of `openLocks` takes. */
const NAMES: readonly string[] = ['require', 'label', 'on', 'runtime'];
/** What only a call takes. */
const OF_CALLS: ReadonlySet<string> = new Set(['signal', 'keepMs']);

/**
 * Refuses what nobody would read: an option that belongs elsewhere is as lost as one that is misspelt.
 * @throws InvalidOptionError saying where the option belongs, or which one was probably meant
 */
export function checkOpenOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new InvalidOptionError('the second argument of openLocks must be an object');
  for (const name in options) {
    if (NAMES.includes(name)) continue;
    throw new InvalidOptionError(
      `the second argument of openLocks has no option "${redactUrl(name)}"${placeOf(name)}`,
    );
  }
}

function placeOf(name: string): string {
  const example = `openLocks({ backend: "redis-simple", url: "redis://localhost", ${name}: … })`;
  if (Object.hasOwn(defaults, name))
    return `: it belongs in the configuration, ${example}, or in a call`;
  if (optionNames().includes(name)) return ': it belongs in the configuration, the first argument';
  if (OF_CALLS.has(name)) return ': it belongs in a call, such as acquire or use';
  const hint = didYouMean(name, NAMES);
  return hint === '' ? `. It takes ${NAMES.join(', ')}.` : `.${hint}`;
}
