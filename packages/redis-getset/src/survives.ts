import type { FaultId } from '@holdfast/core';

// Made from docs/matrix.json; `vitest -u` on packages/holdfast/test/matrix-survives.test.ts writes it.

/** Faults under which no two leases are valid at once. */
export const SURVIVES: readonly FaultId[] = [
  'none',
  'lost-reply',
  'server-clock-forward',
  'server-clock-back',
  'server-stop',
  'restart-durable',
  'peer-cut',
  'majority-down',
  'holder-crash',
  'lost-wakeup',
  'swizzle',
];
