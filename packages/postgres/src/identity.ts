import type { Capabilities } from '@holdfast/core';

/** The backend's name in URLs, events, errors and reports. */
export const NAME = 'postgres';

/** The promises of this backend on one server, or with asynchronous standbys; exported, so that requirements can be checked before anything connects. */
export const capabilities: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'ap',
  fencing: 'best-effort',
  queue: 'none',
  wakeUp: 'push',
  modes: ['shared', 'permits'],
};

/** Those with `synchronous`: what a client has heard of is on a standby, so a failover loses neither lock nor token. */
export const synchronousCapabilities: Capabilities & { readonly fencing: 'strict' } = {
  ...capabilities,
  consistency: 'cp',
  fencing: 'strict',
};
