import type { Requirement } from './api.ts';
import { CapabilityError, ConfigError } from './errors.ts';
import type { Backend, Capabilities } from './port.ts';

const MEETS: Record<Requirement, (has: Capabilities) => boolean> = {
  fencing: (has) => has.fencing !== 'none',
  'strict-fencing': (has) => has.fencing === 'strict',
  'per-call-ttl': (has) => has.lease === 'per-call-ttl',
  fifo: (has) => has.queue === 'fifo',
  cp: (has) => has.consistency === 'cp',
};

/**
 * @throws CapabilityError naming every requirement that `backend` does not meet
 * @throws ConfigError for a requirement that there is not
 */
export function checkRequirements(required: readonly Requirement[], backend: Backend): void {
  const unknown = required.filter((each) => !Object.hasOwn(MEETS, each));
  if (unknown.length > 0) {
    const known = Object.keys(MEETS).join(', ');
    throw new ConfigError(`there is no requirement '${unknown.join("', '")}'; there are ${known}`, {
      backend: backend.name,
    });
  }
  const unmet = required.filter((each) => !MEETS[each](backend.capabilities));
  if (unmet.length === 0) return;
  throw new CapabilityError(
    `${backend.name} does not give what the code requires: ${unmet.join(', ')}`,
    {
      backend: backend.name,
    },
  );
}

/** Whether every lease must carry a token. */
export function needsToken(required: readonly Requirement[]): boolean {
  return required.includes('fencing') || required.includes('strict-fencing');
}
