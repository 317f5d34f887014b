import type { Capabilities } from '@holdfast/core';

/** The backend's name, in URLs, events, errors and reports. */
export const NAME = 'zk';

/** The promises of this backend; exported so that requirements can be checked before anything connects. */
export const capabilities: Capabilities & { readonly fencing: 'strict' } = {
  lease: 'session',
  timeAuthority: 'leader',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'fifo',
  wakeUp: 'push',
  modes: ['shared', 'permits'],
  survives: [
    'none',
    'delay',
    'reorder',
    'lost-reply',
    'pause',
    'pause-acquire',
    'loop-block',
    'client-clock',
    'drift',
    'clock-smear',
    'server-clock-forward',
    'server-clock-back',
    'server-stop',
    'server-slow',
    'restart-durable',
    'failover',
    'split-brain',
    'client-cut',
    'peer-cut',
    'majority-down',
    'holder-crash',
    'lost-wakeup',
    'swizzle',
    'suspend',
  ],
};
