import type { Capabilities } from '@holdfast/core';
import type { Rights } from '@holdfast/redis';

/** The backend's name in URLs, events, errors and reports. */
export const NAME = 'redlock';

/**
 * The promises of this backend; exported too, so that requirements can be checked before anything connects. No fencing:
 * counters of independent nodes do not grow from one majority to the next (Kleppmann 2016, "How to do distributed
 * locking").
 */
export const capabilities: Capabilities & { readonly fencing: 'none' } = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'ap',
  fencing: 'none',
  queue: 'none',
  wakeUp: 'push',
  exclusiveSince: 'its servers count apart, and a majority of counts is no count',
  survives: [
    'none',
    'delay',
    'reorder',
    'lost-reply',
    'pause',
    'pause-acquire',
    'loop-block',
    'client-clock',
    'clock-smear',
    'server-clock-back',
    'server-stop',
    'server-slow',
    'restart-durable',
    'client-cut',
    'majority-down',
    'holder-crash',
    'lost-wakeup',
    'swizzle',
    'suspend',
  ],
};

/** Those of the plain layout: other libraries report no release. */
export const plainCapabilities: Capabilities & { readonly fencing: 'none' } = {
  ...capabilities,
  wakeUp: 'poll',
};

/** The commands that the scripts call. */
export const RIGHTS: Rights = {
  scripted: ['get', 'set', 'del', 'pttl', 'pexpire'],
  optional: { command: 'publish', without: 'waiters poll every 2 s' },
};
