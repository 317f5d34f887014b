import type { FaultId } from '../history.ts';

// Made from docs/matrix.json; `vitest -u` on packages/holdfast/test/matrix-survives.test.ts writes it.

/** Faults under which no two leases are valid at once. */
export const SURVIVES: readonly FaultId[] = [
  'none',
  'pause',
  'pause-acquire',
  'loop-block',
  'client-clock',
  'holder-crash',
  'suspend',
];
