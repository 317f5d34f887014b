import { HoldLog } from '../hold-log.ts';
import { RedisCluster } from '../redis/cluster.ts';
import type { World } from '../world.ts';
import { ZooKeeperCluster } from '../zookeeper/cluster.ts';
import type { Cluster } from './cluster.ts';
import { attemptOf, contenderOf } from './owner-of.ts';
import type { Schedule } from './schedule.ts';
import { StoreCluster, type StoreKeeper } from './store-cluster.ts';
import type { Subject } from './subject.ts';

/**
 * The servers that a lock asks for; only as many as it uses: a fault of the others could not matter.
 * @param keeper of the in-memory store, where there is one
 */
export function clusterOf(
  world: World,
  schedule: Schedule,
  subject: Subject,
  keeper?: StoreKeeper,
): Cluster {
  const { nodes, ensemble = false } = subject;
  const holds = new HoldLog({
    nowMs: () => world.nowMs,
    renewals: subject.labels?.['renew'] ?? ['renew'],
    holdOf: ensemble || nodes > 1 ? contenderOf : (owner) => owner,
    // A queue has places, and no owner values.
    attemptOf: ensemble ? () => 0 : attemptOf,
  });
  if (ensemble) return new ZooKeeperCluster(world, schedule, { size: nodes, holds });
  if (nodes === 0) return new StoreCluster(world, schedule.latencyMs, holds, keeper);
  const size = Math.min(schedule.nodes, nodes);
  return new RedisCluster(world, schedule, { size, holds, forOneHold: forOneHold(subject) });
}

/** What is sent for one hold alone, unless the lock acquires by the same command. */
function forOneHold({ labels = {} }: Subject): readonly string[] {
  const { acquire = [], renew = ['renew'], release = ['release'] } = labels;
  return [...renew, ...release, 'undo'].filter((label) => !acquire.includes(label));
}
