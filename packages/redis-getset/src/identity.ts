import type { Capabilities } from '@holdfast/core';
import type { Rights } from '@holdfast/redis';

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
  exclusiveSince: 'its value is a time stamp, which tells no two holders apart',
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

/** An old stamp, under a name that no lock has: deleted at once, and expired if it is left. */
const EXPIRED = '0000000000001';

/** The commands that the recipe sends. */
export const RIGHTS: Rights = {
  plain: [['get'], ['del'], ['setnx', EXPIRED], ['getset', EXPIRED], ['del']],
};
