import type { ClusterOf } from '../sim/schedule/cluster.ts';
import { StoreCluster } from '../sim/schedule/store-cluster.ts';
import { renewalsOf, type Subject } from '../sim/schedule/subject.ts';
import { RedisCluster } from './redis/simulated/cluster.ts';
import { ZooKeeperCluster } from './zookeeper/simulated/cluster.ts';

/** The kinds of servers that there are. To add one: its class, and its line here. */
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

/** What is sent for one hold alone, unless the lock acquires by the same command. */
function forOneHold(subject: Subject): readonly string[] {
  const { labels = {} } = subject;
  const { acquire = [], release = ['release'] } = labels;
  return [...renewalsOf(subject), ...release, 'undo'].filter((label) => !acquire.includes(label));
}
