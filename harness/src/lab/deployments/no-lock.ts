import { NO_LOCK } from '../clients/open-locks-of.ts';
import type { RealCluster } from './real-cluster.ts';

/** The control: nobody takes turns. */
export function noLock(): RealCluster {
  return { opening: () => NO_LOCK, close: () => Promise.resolve() };
}
