import type { World } from '../world.ts';
import type { Cluster } from './cluster.ts';
import type { FaultRegistry } from './fault.ts';
import type { Schedule } from './schedule.ts';
import type { StoreKeeper } from './store-cluster.ts';
import type { Subject } from './subject.ts';

/**
 * Makes the servers that a lock asks for; only as many as it uses: a fault of the others could not matter.
 * @param keeper of the in-memory store, where there is one
 */
export type ClusterOf = (
  world: World,
  schedule: Schedule,
  subject: Subject,
  keeper?: StoreKeeper,
) => Cluster;

/** What the simulator is handed, and knows nothing of by itself. */
export interface RunParts {
  readonly faults: FaultRegistry;
  readonly clusterOf: ClusterOf;
}
