import type {
  Capabilities,
  NamedRequirement,
  Requirement,
  SurvivalRequirement,
} from './api/capabilities.ts';
import { CapabilityError, ConfigError } from './errors.ts';
import { shown } from './options.ts';
import type { Backend } from './port.ts';
import { unknownName } from './quote.ts';

/** The promises that `require` can name. */
export const REQUIREMENTS: readonly NamedRequirement[] = [
  'fencing',
  'strict-fencing',
  'per-call-ttl',
  'fifo',
  'cp',
  'no-eviction',
  'shared',
  'permits',
];

const MEETS: Record<Exclude<NamedRequirement, 'no-eviction'>, (has: Capabilities) => boolean> = {
  fencing: (has) => has.fencing !== 'none',
  'strict-fencing': (has) => has.fencing === 'strict',
  'per-call-ttl': (has) => has.lease === 'per-call-ttl',
  fifo: (has) => has.queue === 'fifo',
  cp: (has) => has.consistency === 'cp',
  shared: (has) => has.modes?.includes('shared') === true,
  permits: (has) => has.modes?.includes('permits') === true,
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
  const unmet = wanted.filter((each) => !isMet(each, backend));
  if (unmet.length === 0) return wanted;
  const names = unmet.map((each) => nameOf(each, backend));
  const message = `${backend.name} does not give what the code requires: ${names.join(', ')}`;
  const { survives = [] } = backend.capabilities;
  const isFault = unmet.some((each) => typeof each !== 'string');
  const known = isFault ? `. It survives ${survives.join(', ') || 'no fault that is known'}` : '';
  throw new CapabilityError(message + known, details);
}

function isMet(wanted: Requirement, { capabilities, evicts }: Backend): boolean {
  // Not a promise of the code, but a setting of the store.
  if (wanted === 'no-eviction') return evicts === false;
  if (typeof wanted === 'string') return MEETS[wanted](capabilities);
  return capabilities.survives?.includes(wanted.survives) === true;
}

function nameOf(unmet: Requirement, { evicts, capabilities }: Backend): string {
  if (typeof unmet !== 'string') return `survives ${unmet.survives}`;
  if (unmet === 'no-eviction')
    return `${unmet} (${evicts === undefined || evicts === false ? 'it cannot tell' : evicts})`;
  const { exclusiveSince } = capabilities;
  const isMode = unmet === 'shared' || unmet === 'permits';
  return isMode && exclusiveSince !== undefined ? `${unmet} (${exclusiveSince})` : unmet;
}

function requirement(value: unknown, details: { readonly backend: string }): Requirement {
  const known = REQUIREMENTS.find((each) => each === value);
  if (known !== undefined) return known;
  if (isSurvival(value)) return value;
  const name = typeof value === 'string' ? value : shown(value);
  throw new ConfigError(unknownName('requirement', name, REQUIREMENTS), details);
}

function isSurvival(value: unknown): value is SurvivalRequirement {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value);
  return names.length === 1 && typeof Reflect.get(value, 'survives') === 'string';
}

/** True if every lease must carry a token. */
export function needsToken(required: readonly Requirement[]): boolean {
  return required.includes('fencing') || required.includes('strict-fencing');
}
