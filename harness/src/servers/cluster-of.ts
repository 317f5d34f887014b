import type { ClusterOf } from '../sim/schedule/cluster.ts';
import { StoreCluster } from '../sim/schedule/store-cluster.ts';
import { renewalsOf, type Subject } from '../sim/schedule/subject.ts';
import { RedisCluster } from './redis/simulated/cluster.ts';
import { ZooKeeperCluster } from './zookeeper/simulated/cluster.ts';

/** The kinds of servers. To add one, add its class and its line here. */
export const clusterOf: ClusterOf = (world, schedule, subject, keeper) => {
  const { nodes, ensemble = false } = subject;
  if (ensemble)
    return new ZooKeeperCluster(world, schedule, {
      size: nodes,
      openSessions: subject.openSessions,
    });
  if (nodes === 0) return new StoreCluster(world, schedule.latencyMs, keeper);
  return new RedisCluster(world, schedule, {
    size: Math.min(schedule.nodes, nodes),
    isShared: nodes > 1,
    renewals: renewalsOf(subject),
    forOneHold: forOneHold(subject),
  });
};

/** Labels that are sent for one hold only, unless the lock acquires by one of them. */
function forOneHold(subject: Subject): readonly string[] {
  const { labels = {} } = subject;
  const { acquire = [], release = ['release'] } = labels;
  return [...renewalsOf(subject), ...release, 'undo'].filter((label) => !acquire.includes(label));
}
