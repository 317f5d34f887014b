import { ConfigError, didYouMean } from '@holdfast/core';
import type { Needs } from './lock.ts';

/** What the simulator gives a lock that comes from outside; how many of the Redis servers it talks to is found out. */
export const GIVEN: Readonly<Record<Needs, { readonly nodes: number; readonly ensemble?: true }>> =
  {
    nothing: { nodes: 0 },
    redis: { nodes: 5 },
    zookeeper: { nodes: 3, ensemble: true },
  };

const KNOWN = Object.keys(GIVEN);
const WRITE = `write  export const deployment = { needs: 'redis' };  (or ${KNOWN.filter((each) => each !== 'redis').join(', ')})`;

/**
 * What a lock from outside says that it needs, in its export `deployment`.
 * @throws ConfigError saying what is wrong with it, and what to write
 */
export function needsOf(record: unknown, backend: string): Needs {
  const refuse = (why: string): ConfigError =>
    new ConfigError(`"${backend}" cannot be simulated: ${why}; ${WRITE}`, { backend });
  if (record === undefined) throw refuse('it does not export what it needs');
  if (typeof record !== 'object' || record === null)
    throw refuse('its export deployment is no object');
  const stray = Object.keys(record).find((key) => key !== 'needs');
  if (stray !== undefined) throw refuse(`its export deployment has an unknown field "${stray}"`);
  const needs = 'needs' in record ? record.needs : undefined;
  if (isNeeds(needs)) return needs;
  if (typeof needs !== 'string') throw refuse('its export deployment has no needs');
  throw refuse(`its export deployment has unknown needs "${needs}".${didYouMean(needs, KNOWN)}`);
}

function isNeeds(value: unknown): value is Needs {
  return typeof value === 'string' && Object.hasOwn(GIVEN, value);
}
