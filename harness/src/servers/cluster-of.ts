import type { Cluster } from '../sim/schedule/cluster.ts';
import type { Schedule } from '../sim/schedule/schedule.ts';
import { StoreCluster, type StoreKeeper } from '../sim/schedule/store-cluster.ts';
import type { Subject } from '../sim/schedule/subject.ts';
import type { World } from '../sim/world.ts';
import { RedisCluster } from './redis/simulated/cluster.ts';
import { ZooKeeperCluster } from './zookeeper/simulated/cluster.ts';

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
  if (ensemble) return new ZooKeeperCluster(world, schedule, nodes);
  if (nodes === 0) return new StoreCluster(world, schedule.latencyMs, keeper);
  return new RedisCluster(world, schedule, {
    size: Math.min(schedule.nodes, nodes),
    isShared: nodes > 1,
    renewals: renewalsOf(subject),
    forOneHold: forOneHold(subject),
  });
}

/** The labels of its renewals. */
export function renewalsOf({ labels }: Subject): readonly string[] {
  return labels?.['renew'] ?? ['renew'];
}

/** What is sent for one hold alone, unless the lock acquires by the same command. */
function forOneHold(subject: Subject): readonly string[] {
  const { labels = {} } = subject;
  const { acquire = [], release = ['release'] } = labels;
  return [...renewalsOf(subject), ...release, 'undo'].filter((label) => !acquire.includes(label));
}
