import {
  BackendUnavailableError,
  type Locks,
  type LocksOptions,
  type Requirement,
} from '@holdfast/core';
import {
  type Backend,
  type Capabilities,
  createLocks,
  type ListenableHost,
  redactUrl,
} from '@holdfast/core/backend';
import type { Config } from './backends/built-in.ts';

/**
 * A substitute for the capabilities of a backend that exports none: before it is opened, only errors for every backend
 * are rejected.
 */
export const ANY_PROMISE: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'fifo',
  wakeUp: 'poll',
  modes: ['shared', 'permits'],
};

/** Lets core check the options against the capabilities of the backend, before it is opened. */
export function checkBeforeOpening(
  config: Config,
  capabilities: Capabilities,
  require: readonly Requirement[] | undefined,
  host: ListenableHost,
): void {
  const unopened: Backend = {
    name: redactUrl(config.backend),
    capabilities,
    // Only the store knows.
    evicts: false,
    contend: () => {
      throw new Error('it is not open');
    },
    close: () => Promise.resolve(),
  };
  checkConfigRequirements(config, unopened, host);
  createLocks(unopened, host, { ...defaultsOf(config, capabilities), require });
}

/**
 * Checks the requirements of the configuration apart from those of the code, whose literal types decide the type of a
 * fencing token.
 */
function checkConfigRequirements(
  { require }: Config,
  backend: Backend,
  host: ListenableHost,
): void {
  createLocks(backend, host, { require });
}

/**
 * @throws BackendUnavailableError unless the store serves
 * @throws CapabilityError if the backend cannot tell
 */
export async function checkServes(locks: Pick<Locks, 'health' | 'backend'>): Promise<void> {
  const { ok, nodes } = await locks.health();
  if (ok) return;
  const why = nodes.flatMap(({ node, ok: serves, detail = 'does not serve' }) =>
    serves ? [] : [`${node}: ${detail}`],
  );
  throw new BackendUnavailableError(`${locks.backend} does not serve: ${why.join('; ')}`, {
    backend: locks.backend,
  });
}

/** On a session backend the ttl belongs to the opening. */
export function defaultsOf(config: Config, capabilities: Capabilities): LocksOptions {
  const { waitMs, renew, maxHoldMs } = config;
  const ttlMs = capabilities.lease === 'session' ? undefined : config.ttlMs;
  return { ttlMs, waitMs, renew, maxHoldMs };
}
