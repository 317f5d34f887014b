import type { Capabilities } from '@holdfast/core';
import type { Rights } from '@holdfast/redis';

/** The backend's name in URLs, events, errors and reports. */
export const NAME = 'redis-simple';

/** The promises of this backend; exported too, so that requirements can be checked before anything connects. */
export const capabilities: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'ap',
  fencing: 'best-effort',
  queue: 'none',
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
    'server-clock-back',
    'server-stop',
    'server-slow',
    'restart-durable',
    'client-cut',
    'peer-cut',
    'majority-down',
    'holder-crash',
    'lost-wakeup',
    'swizzle',
    'suspend',
  ],
};

/** Those with `fair`. */
export const fairCapabilities: Capabilities = { ...capabilities, queue: 'fifo' };

/** Those of the plain layout: other libraries know no tokens and no readers, and report no release. */
export const plainCapabilities: Capabilities & { readonly fencing: 'none' } = {
  ...capabilities,
  fencing: 'none',
  wakeUp: 'poll',
  modes: undefined,
  exclusiveSince: 'the libraries that share this layout know one holder of a key',
};

/** The commands that the scripts call. */
export const RIGHTS: Rights = {
  scripted: ['get', 'set', 'del', 'pttl', 'pexpire', 'time'],
  optional: { command: 'publish', without: 'waiters poll every 2 s' },
};

/** In the plain layout. */
export const PLAIN_RIGHTS: Rights = { scripted: ['get', 'set', 'del', 'pttl', 'pexpire'] };

/** With `fair` the server names the chosen waiter by a message, so none can be missing. */
export const FAIR_RIGHTS: Rights = {
  scripted: [
    ...(RIGHTS.scripted ?? []),
    'publish',
    'zadd',
    'zrem',
    'zrange',
    'zrank',
    'zscore',
    'zcard',
  ],
};
