import type { Capabilities } from '@holdfast/core';

/** The backend's name in URLs, events, errors and reports. */
export const NAME = 'postgres-advisory';

/**
 * The promises of session locks. `none`: the server frees them at once when their session ends, and the holder learns it
 * later; they are on one server alone, so a failover loses them.
 */
export const advisoryCapabilities: Capabilities = {
  lease: 'session',
  timeAuthority: 'server',
  consistency: 'none',
  fencing: 'none',
  queue: 'none',
  exclusiveSince: 'holds of one session never exclude each other, and the server counts no permits',
  wakeUp: 'poll',
};
