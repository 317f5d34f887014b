import type { ClusterOf } from '../sim/schedule/cluster.ts';
import { StoreCluster } from '../sim/schedule/store-cluster.ts';
import { renewalsOf, type Subject } from '../sim/schedule/subject.ts';
import { RedisCluster } from './redis/simulated/cluster.ts';
import { SentinelRedisCluster } from './redis/simulated/sentinel-cluster.ts';
import { SlotRedisCluster } from './redis/simulated/slot-cluster.ts';
import { ZooKeeperCluster } from './zookeeper/simulated/cluster.ts';

/** The kinds of servers. To add one, add its class and its line here. */
export const clusterOf: ClusterOf = (world, schedule, subject, keeper) => {
  const { nodes, ensemble = false, topology } = subject;
  if (ensemble)
    return new ZooKeeperCluster(world, schedule, {
      size: nodes,
      openSessions: subject.openSessions,
    });
  if (nodes === 0) return new StoreCluster(world, schedule.latencyMs, keeper);
  const { waiterOf } = subject;
  const watched = { renewals: renewalsOf(subject), forOneHold: forOneHold(subject), waiterOf };
  if (topology?.kind === 'cluster')
    return new SlotRedisCluster(world, schedule, {
      ...watched,
      moves: topology.moves ?? false,
      client: topology.client,
    });
  if (topology !== undefined)
    return new SentinelRedisCluster(world, schedule, {
      ...watched,
      isSplit: topology.isSplit ?? false,
      client: topology.client,
    });
  return new RedisCluster(world, schedule, {
    ...watched,
    size: Math.min(schedule.nodes, nodes),
    isShared: nodes > 1,
  });
};

/** Labels that are sent for one hold only, unless the lock acquires by one of them. */
function forOneHold(subject: Subject): readonly string[] {
  const { labels = {} } = subject;
  const { acquire = [], release = ['release'] } = labels;
  return [...renewalsOf(subject), ...release, 'undo'].filter((label) => !acquire.includes(label));
}
