import type { Capabilities } from '@holdfast/core';

/** The backend's name in URLs, events, errors and reports. */
export const NAME = 'redis-getset';

/** The promises of this backend; exported too, so that requirements can be checked before anything connects. */
export const capabilities: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'client',
  consistency: 'none',
  fencing: 'none',
  queue: 'none',
  wakeUp: 'poll',
  survives: [
    'none',
    'lost-reply',
    'clock-smear',
    'server-clock-forward',
    'server-clock-back',
    'server-stop',
    'restart-durable',
    'peer-cut',
    'majority-down',
    'holder-crash',
    'lost-wakeup',
    'swizzle',
  ],
};
