import type { FaultId } from '@holdfast/core';

// Made from docs/matrix.json; `vitest -u` on packages/holdfast/test/matrix-survives.test.ts writes it.

/** Faults under which no two leases are valid at once. */
export const SURVIVES: readonly FaultId[] = [
  'none',
  'delay',
  'reorder',
  'lost-reply',
  'pause',
  'pause-acquire',
  'loop-block',
  'client-clock',
  'drift',
  'server-clock-forward',
  'server-clock-back',
  'server-stop',
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
];
