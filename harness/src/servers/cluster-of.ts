import { Lazy } from '../sim/lazy.ts';
import type { Cluster, ClusterOf } from '../sim/schedule/cluster.ts';
import type { Schedule } from '../sim/schedule/schedule.ts';
import { StoreCluster } from '../sim/schedule/store-cluster.ts';
import { renewalsOf, type Subject, type SubjectEnv } from '../sim/schedule/subject.ts';
import type { World } from '../sim/world.ts';
import { RedisCluster } from './redis/simulated/cluster.ts';
import { SentinelRedisCluster } from './redis/simulated/sentinel-cluster.ts';
import { SlotRedisCluster } from './redis/simulated/slot-cluster.ts';

/** A kind of simulated servers. */
export interface ServerKind {
  /** Makes the servers of one run. */
  readonly cluster: (world: World, schedule: Schedule, subject: Subject) => Cluster;
  /** Loads what its servers need and other kinds do not; awaited before each run. */
  readonly load?: () => Promise<void>;
  /** Set for one leader and its followers; otherwise servers are independent of each other. */
  readonly isEnsemble?: true;
  /** The number of servers that an external lock gets, or the most that it may use. */
  readonly size: number;
  /** The part of a view that an external lock gets. */
  readonly view: (view: Omit<SubjectEnv, 'store' | 'link'>) => Readonly<Record<string, unknown>>;
}

const zookeeper = new Lazy(() => import('./zookeeper/simulated/cluster.ts'));
const etcdServers = new Lazy(() => import('./etcd/simulated/cluster.ts'));
const postgres = new Lazy(() => import('./postgres/simulated/cluster.ts'));
const sql = new Lazy(() => import('./postgres/simulated/sql/parse.ts'));

/** The names of the kinds, as `needs` of a lock has them. */
export type ServerKindName = 'redis' | 'zookeeper' | 'etcd' | 'postgres';

/** The kinds of servers. To add one, add its class, its name above and its entry here. */
export const SERVER_KINDS: Readonly<Record<ServerKindName, ServerKind>> = {
  redis: {
    cluster: redisCluster,
    size: 5,
    view: ({ node, nodes }) => ({ node, nodes }),
  },
  zookeeper: {
    load: () => zookeeper.load(),
    cluster: (world, schedule, { nodes: size, openSessions }) =>
      new zookeeper.module.ZooKeeperCluster(world, schedule, { size, openSessions }),
    isEnsemble: true,
    size: 3,
    view: ({ openSession }) => ({ openSession }),
  },
  etcd: {
    load: () => etcdServers.load(),
    cluster: (world, schedule, { nodes: size, topology }) =>
      new etcdServers.module.EtcdCluster(world, schedule, {
        size,
        revokesUnasked: topology?.kind === 'old-release',
      }),
    isEnsemble: true,
    size: 3,
    view: ({ etcd }) => ({ etcd }),
  },
  postgres: {
    load: async () => {
      await Promise.all([postgres.load(), sql.load()]);
      await sql.module.loadParser();
    },
    cluster: (world, schedule, subject) =>
      new postgres.module.PostgresCluster(world, schedule, {
        schema: subject.schema?.() ?? '',
        client: subject.databaseClient,
        isSynchronous: subject.topology?.kind === 'synchronous',
        isPooled: subject.topology?.kind === 'pooler',
        renewals: renewalsOf(subject),
        forOneHold: forOneHold(subject),
        waiterOf: subject.waiterOf,
      }),
    size: 1,
    view: ({ database }) => ({ database }),
  },
};

/** Returns the kind with this name; undefined for an unknown one. */
export function serverKind(name: string): ServerKind | undefined {
  return Object.entries(SERVER_KINDS).find(([known]) => known === name)?.[1];
}

/** Returns the kind of the servers that a subject runs on; `nothing` if it has none. */
export function kindOf({
  nodes,
  ensemble = false,
  servers = ensemble ? 'zookeeper' : 'redis',
}: Pick<Subject, 'nodes' | 'ensemble' | 'servers'>): string {
  return nodes === 0 ? 'nothing' : servers;
}

/** Loads what a lock and its servers need, which comes before a run of it. */
export async function loadServers(subject: Subject): Promise<void> {
  await serverKind(kindOf(subject))?.load?.();
  await subject.load?.();
}

/** Makes the servers of a subject. @throws RangeError for servers of an unknown kind */
export const clusterOf: ClusterOf = (world, schedule, subject, keeper) => {
  const name = kindOf(subject);
  if (name === 'nothing') return new StoreCluster(world, schedule.latencyMs, keeper);
  const kind = serverKind(name);
  if (kind === undefined) throw new RangeError(`${subject.name}: unknown servers "${name}"`);
  return kind.cluster(world, schedule, subject);
};

function redisCluster(world: World, schedule: Schedule, subject: Subject): Cluster {
  const { nodes, topology, waiterOf } = subject;
  const queue = waiterOf && { waiterOf, placesEnd: subject.modeOf !== undefined };
  const renewals = renewalsOf(subject);
  const labels = forOneHold(subject);
  if (topology === undefined)
    return new RedisCluster(world, schedule, {
      size: Math.min(schedule.nodes, nodes),
      isShared: nodes > 1,
      renewals,
      forOneHold: labels,
      queue,
    });
  const watched = { renewals, forOneHold: labels, queue, client: topology.client };
  if (topology.kind === 'cluster')
    return new SlotRedisCluster(world, schedule, { ...watched, moves: topology.moves ?? false });
  return new SentinelRedisCluster(world, schedule, {
    ...watched,
    isSplit: topology.isSplit ?? false,
  });
}

/** Labels that are sent for one hold only, unless the lock acquires by one of them. */
function forOneHold(subject: Subject): readonly string[] {
  const { labels = {} } = subject;
  const { acquire = [], release = ['release'] } = labels;
  return [...renewalsOf(subject), ...release, 'undo'].filter((label) => !acquire.includes(label));
}
