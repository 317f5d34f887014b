import type { RealCluster } from './real-cluster.ts';

/** The control: nobody takes turns. */
export function noLock(): RealCluster {
  return { opening: () => ({ backend: 'no-lock' }), close: () => Promise.resolve() };
}
