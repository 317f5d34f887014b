import type { Capabilities } from '@holdfast/core';

/** The backend's name, in URLs, events, errors and reports. */
export const NAME = 'etcd';

/** The promises of this backend; exported so that requirements can be checked before anything connects. */
export const capabilities: Capabilities & { readonly fencing: 'strict' } = {
  lease: 'per-call-ttl',
  timeAuthority: 'leader',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'fifo',
  wakeUp: 'push',
  modes: ['shared', 'permits'],
};
