import type { Capabilities } from '@holdfast/core';

/** What all exhibits have in common: next to nothing. */
export const EXHIBIT_CAPABILITIES: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'none',
  fencing: 'none',
  queue: 'none',
  wakeUp: 'poll',
};
