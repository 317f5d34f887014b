import type { Requirement } from './api.ts';
import { CapabilityError, ConfigError } from './errors.ts';
import { shown } from './options.ts';
import type { Backend, Capabilities } from './port.ts';
import { unknownName } from './quote.ts';

/** The promises that `require` can name. */
export const REQUIREMENTS: readonly Requirement[] = [
  'fencing',
  'strict-fencing',
  'per-call-ttl',
  'fifo',
  'cp',
];

const MEETS: Record<Requirement, (has: Capabilities) => boolean> = {
  fencing: (has) => has.fencing !== 'none',
  'strict-fencing': (has) => has.fencing === 'strict',
  'per-call-ttl': (has) => has.lease === 'per-call-ttl',
  fifo: (has) => has.queue === 'fifo',
  cp: (has) => has.consistency === 'cp',
};

/**
 * Checks `require` against the capabilities of `backend`.
 * @returns the requirements; an empty list if `require` is absent
 * @throws CapabilityError with every requirement that `backend` does not meet
 * @throws ConfigError if it is not a list, or for an unknown requirement
 */
export function checkRequirements(required: unknown, backend: Backend): readonly Requirement[] {
  const details = { backend: backend.name };
  if (required === undefined) return [];
  if (!Array.isArray(required))
    throw new ConfigError(`require must be a list, not ${shown(required)}`, details);
  const wanted = required.map((each) => requirement(each, details));
  const unmet = wanted.filter((each) => !MEETS[each](backend.capabilities));
  if (unmet.length === 0) return wanted;
  throw new CapabilityError(
    `${backend.name} does not give what the code requires: ${unmet.join(', ')}`,
    details,
  );
}

function requirement(value: unknown, details: { readonly backend: string }): Requirement {
  const known = REQUIREMENTS.find((each) => each === value);
  if (known !== undefined) return known;
  const name = typeof value === 'string' ? value : shown(value);
  throw new ConfigError(unknownName('requirement', name, REQUIREMENTS), details);
}

/** True if every lease must carry a token. */
export function needsToken(required: readonly Requirement[]): boolean {
  return required.includes('fencing') || required.includes('strict-fencing');
}
