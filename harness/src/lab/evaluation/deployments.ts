import { deploymentOf, lockNamed, lockOf, type RealServers } from '../../locks/index.ts';
import type { Deployment, RealLock, Verb } from '../../simulator/index.ts';
import { NO_LOCK } from '../clients/open-locks-of.ts';
import { EtcdDeployment } from '../deployments/etcd.ts';
import { IndependentRedis } from '../deployments/independent-redis.ts';
import { LinkedEnsemble, type LinkedServers } from '../deployments/linked-ensemble.ts';
import { type OwnServers, OwnServersDeployment } from '../deployments/own-servers.ts';
import { OnePostgres } from '../deployments/postgres.ts';
import type {
  ClusterOptions,
  LockOnClusterOptions,
  RealCluster,
} from '../deployments/real-cluster.ts';
import { ReplicatedRedis } from '../deployments/redis-pair.ts';
import { ReplicatedPostgres } from '../deployments/replicated-postgres.ts';
import { DOWN_AFTER_MS, SentinelRedis } from '../deployments/sentinel-redis.ts';
import { type ClockedEnsemble, ZooKeeperDeployment } from '../deployments/zookeeper.ts';

/** The options of a cluster, with shared ensembles. These are started for the first trial that needs one. */
export interface DeploymentResources extends ClusterOptions {
  ensemble(): Promise<ClockedEnsemble>;
  /** The ensemble whose members can be cut from each other. */
  linked(): Promise<LinkedServers>;
}

/** The resources, and the lock under test. */
type LockResources = DeploymentResources & LockOnClusterOptions;

/** Real servers: their verbs, and how they are started for any lock. */
interface RealDeployment extends Omit<Deployment, 'ttlMs' | 'lock'> {
  /** The factor by which the ttl is multiplied if servers take long to restart. */
  readonly ttlTimes?: number;
  /** A sentence on what real servers of this kind cannot show. */
  readonly onlySimulated?: string;
  /** A sentence that readers need to judge its outages. */
  readonly outageNote?: string;
  /** True if only the full profile uses it. */
  readonly isFurther?: true;
  /** The verbs that are lost if no library to shift clocks could be compiled. */
  readonly shifted?: readonly Verb[];
  open(resources: LockResources): Promise<RealCluster>;
}

/** Servers on which a column is tested, with its lock. */
export interface LabDeployment extends Omit<RealDeployment, 'open'>, Pick<Deployment, 'lock'> {
  open(resources: DeploymentResources): Promise<RealCluster>;
}

const NO_REPLICATION = 'its nodes do not know each other, so none takes over from another';
const PEER_CUT = 'a leader that is cut from both followers is run as peer-cut';

/** The verbs that hit clients, and those that hit their links to servers. */
const CLIENT_VERBS: readonly Verb[] = [
  ...(['leave', 'pause', 'sleep', 'block', 'resume', 'kill', 'jumpClock'] as const),
  ...(['holdWrites', 'releaseWrites'] as const),
];
const LINK_VERBS: readonly Verb[] = [
  'delay',
  'cut',
  'silence',
  'loseReplies',
  'clog',
  'free',
  'heal',
];
/** The verbs that hit no server. */
export const VERBS_SPARING_SERVERS: ReadonlySet<Verb> = new Set([...CLIENT_VERBS, ...LINK_VERBS]);

const PROCESS_VERBS: readonly Verb[] = ['stop', 'resumeServers', 'slow'];

const NONE: RealDeployment = {
  servers: 0,
  called: 'nothing',
  isEnsemble: false,
  verbs: ['pause', 'resume'],
  open: () => Promise.resolve({ opening: () => NO_LOCK, close: () => Promise.resolve() }),
};

const SINGLE: RealDeployment = {
  servers: 1,
  called: 'the server',
  isEnsemble: false,
  verbs: [
    ...CLIENT_VERBS,
    ...LINK_VERBS,
    ...PROCESS_VERBS,
    'restartEmpty',
    'jumpAhead',
    'jumpBack',
  ],
  shifted: ['jumpBack'],
  open: (resources) => IndependentRedis.open(resources, { size: 1 }),
};

const LOG_VERBS: readonly Verb[] = ['crash', 'restartDurable', 'restartTorn', 'keepLog'];

const LOGGED: RealDeployment = {
  servers: 1,
  called: 'the server',
  isEnsemble: false,
  verbs: [...CLIENT_VERBS, ...LINK_VERBS, ...PROCESS_VERBS, ...LOG_VERBS],
  open: (resources) => IndependentRedis.open(resources, { size: 1, durable: true }),
};

const PAIR: RealDeployment = {
  servers: 1,
  called: 'the master',
  isEnsemble: false,
  verbs: ['stopReplication', 'failover', 'splitBrain', 'cutPeers', 'healPeers'],
  failover:
    'the master is killed before it has replicated the lock, and the replica is promoted at once',
  onlySimulated: 'a replica that takes over with another clock than its master’s is only simulated',
  outageNote:
    'Without Sentinels the lab promoted the replica at once, and no operator is as quick.',
  open: (resources) => ReplicatedRedis.open(resources),
};

const SENTINELS: RealDeployment = {
  servers: 1,
  called: 'the master',
  isEnsemble: false,
  verbs: ['stopReplication', 'failover'],
  failover: `the master is killed before it has replicated the lock; Sentinels notice after ${DOWN_AFTER_MS} ms and promote the replica`,
  open: (resources) => SentinelRedis.open(resources),
};

function five(durable: boolean, verbs: readonly Verb[]): RealDeployment {
  return {
    servers: 5,
    called: 'the servers',
    isEnsemble: false,
    verbs: [...CLIENT_VERBS, ...LINK_VERBS, ...PROCESS_VERBS, ...verbs],
    shifted: ['jumpBack'],
    lacks: { failover: NO_REPLICATION, splitBrain: NO_REPLICATION, cutPeers: NO_REPLICATION },
    open: (resources) => IndependentRedis.open(resources, { size: 5, durable }),
  };
}

const ENSEMBLE: RealDeployment = {
  servers: 3,
  called: 'the servers',
  isEnsemble: true,
  verbs: [
    ...CLIENT_VERBS,
    ...LINK_VERBS,
    ...PROCESS_VERBS,
    ...(['crash', 'restartEmpty', 'restartDurable', 'failover', 'jumpAhead', 'jumpBack'] as const),
  ],
  shifted: ['jumpAhead', 'jumpBack'],
  lacks: { splitBrain: PEER_CUT },
  failover: 'the leader is killed, and the others elect another',
  onlySimulated:
    'an ensemble without the data of a majority, or with torn logs of a minority, is only simulated; one server that loses its data shows the first',
  open: async (resources) => ZooKeeperDeployment.open(resources, await resources.ensemble()),
};

const LINKED: RealDeployment = {
  servers: 3,
  called: 'the servers',
  isEnsemble: true,
  verbs: ['cutPeers', 'healPeers'],
  open: async (resources) => LinkedEnsemble.open(resources, await resources.linked()),
};

/** A single server shows what happens when it is stopped and when it loses its data. */
const SINGLE_ZOOKEEPER: RealDeployment = {
  servers: 1,
  called: 'the one server',
  isEnsemble: false,
  // A JVM takes long to restart, and the holder must not notice earlier.
  ttlTimes: 4,
  isFurther: true,
  rejectsAheadClients: true,
  verbs: [
    'stop',
    'resumeServers',
    'restartEmpty',
    'restartDurable',
    'restartTorn',
    'keepLog',
    'arrive',
    'age',
  ],
  open: (resources) => ZooKeeperDeployment.single(resources),
};

const ETCD_SERVERS = 3;
const NO_CLOCK = 'etcd is linked statically, so no library shifts its clock; leases do not read it';

const ETCD: RealDeployment = {
  servers: ETCD_SERVERS,
  called: 'the servers',
  isEnsemble: true,
  // Ttls are whole seconds, expired leases are looked for twice a second, and a new leader starts each ttl again.
  slackMs: 1_500,
  verbs: [
    ...CLIENT_VERBS,
    ...LINK_VERBS,
    ...PROCESS_VERBS,
    ...(['crash', 'restartDurable', 'failover'] as const),
  ],
  lacks: {
    restartEmpty: 'etcd refuses a member that has lost its data until an operator replaces it',
    jumpAhead: NO_CLOCK,
    jumpBack: NO_CLOCK,
    splitBrain: 'a leader that is cut from both followers is only simulated',
    cutPeers:
      'only simulated: all members of etcd reach a server at one address, so no link can be cut alone',
    keepLog: 'etcd writes its log in blocks that cannot be cut without damage: only simulated',
  },
  failover: 'the leader is killed, and the others elect another',
  open: (resources) => EtcdDeployment.open(resources, ETCD_SERVERS),
};

const POSTGRES: RealDeployment = {
  servers: 1,
  called: 'the server',
  isEnsemble: false,
  verbs: [
    ...CLIENT_VERBS,
    ...LINK_VERBS,
    ...PROCESS_VERBS,
    ...LOG_VERBS,
    ...(['jumpAhead', 'jumpBack'] as const),
  ],
  shifted: ['jumpAhead', 'jumpBack'],
  open: (resources) => OnePostgres.open(resources),
};

/** Its data take long to replace, and the holder must not notice earlier. */
const FORGETFUL_POSTGRES: RealDeployment = {
  ...POSTGRES,
  ttlTimes: 3,
  verbs: ['restartEmpty'],
};

const POSTGRES_PAIR: RealDeployment = {
  servers: 1,
  called: 'the primary',
  isEnsemble: false,
  // A promotion takes some hundred milliseconds, and the holder must not notice earlier.
  ttlTimes: 3,
  verbs: PAIR.verbs,
  failover:
    'the primary is killed before its standby has the lock, and the standby is promoted at once',
  open: (resources) => ReplicatedPostgres.open(resources, { standbys: 1, isSynchronous: false }),
};

const STANDBYS = 2;
const AS_ALONE = 'as on postgres: a standby changes nothing until it is promoted';

const SYNCHRONOUS_POSTGRES: RealDeployment = {
  servers: 1,
  called: 'the primary',
  isEnsemble: false,
  isSynchronous: true,
  verbs: [
    ...(['leave', 'pause', 'resume', 'kill', 'cut', 'heal', 'stop', 'resumeServers'] as const),
    ...(['crash', 'restartDurable', 'failover', 'splitBrain', 'cutPeers', 'healPeers'] as const),
  ],
  lacks: Object.fromEntries(
    (
      [
        'sleep',
        'block',
        'jumpClock',
        'holdWrites',
        'delay',
        'silence',
        'loseReplies',
        'clog',
        'slow',
        'keepLog',
        'restartEmpty',
        'jumpAhead',
        'jumpBack',
      ] as const
    ).map((verb) => [verb, AS_ALONE]),
  ),
  failover: 'the primary is killed, and the standby that has most is promoted at once',
  open: (resources) =>
    ReplicatedPostgres.open(resources, { standbys: STANDBYS, isSynchronous: true }),
};

/** All real servers, by name. To add a kind, add its line here, and its name in `locks/lock.ts`. */
const REAL: Readonly<Record<RealServers, RealDeployment>> = {
  none: NONE,
  'one-redis': SINGLE,
  'one-logged-redis': LOGGED,
  'redis-pair': PAIR,
  'redis-sentinels': SENTINELS,
  'five-redis': five(false, ['restartEmpty', 'jumpAhead', 'jumpBack']),
  'five-logged-redis': five(true, LOG_VERBS),
  ensemble: ENSEMBLE,
  'linked-ensemble': LINKED,
  'one-zookeeper': SINGLE_ZOOKEEPER,
  'etcd-ensemble': ETCD,
  'one-postgres': POSTGRES,
  'forgetful-postgres': FORGETFUL_POSTGRES,
  'postgres-pair': POSTGRES_PAIR,
  'synchronous-postgres': SYNCHRONOUS_POSTGRES,
};

export const ONLY_SIMULATED: readonly string[] = Object.values(REAL).flatMap(
  ({ onlySimulated }) => onlySimulated ?? [],
);

export const OUTAGE_NOTES: readonly string[] = Object.values(REAL).flatMap(
  ({ outageNote }) => outageNote ?? [],
);

/** The deployments of a column: each fault runs on the first that can show it. */
export function deploymentsOf(column: string): readonly LabDeployment[] {
  const { service: usual = () => NO_LOCK } = lockOf(column) ?? {};
  return deploymentsServing(column, deploymentOf(column)?.service ?? usual);
}

/** The deployments of a column, for a lock that this service opens. */
export function deploymentsServing(
  column: string,
  service: LockOnClusterOptions['service'],
): readonly LabDeployment[] {
  const schema = lockOf(column)?.wire?.schema;
  const lock = lockOn(column);
  return (deploymentOf(column)?.real ?? []).map((kind) => ({
    ...REAL[kind],
    ...(lock === undefined ? {} : { lock }),
    open: (resources) => REAL[kind].open({ ...resources, service, schema }),
  }));
}

/** Returns undefined for the control. */
function lockOn(column: string): RealLock | undefined {
  const { played, promises } = lockOf(column) ?? {};
  return played === undefined || promises === undefined
    ? undefined
    : { renews: promises.renews, ...played };
}

/** The user's servers. Faults hit only our own clients and their links. */
export const USER_SERVERS: Omit<LabDeployment, 'open'> = {
  servers: 1,
  called: 'the servers',
  isEnsemble: false,
  isUserOwned: true,
  lock: { renews: true },
  verbs: ['leave', 'pause', 'resume', 'kill', 'delay', 'cut', 'heal'],
};

export function deploymentOn(servers: OwnServers): LabDeployment {
  return {
    ...USER_SERVERS,
    lock: { renews: lockNamed(servers.backend)?.promises.renews ?? true },
    // Sessions end on tick boundaries, and the shortest session is two ticks.
    slackMs: servers.ttlMsMin / 2,
    open: (resources) => OwnServersDeployment.open(resources, servers),
  };
}
