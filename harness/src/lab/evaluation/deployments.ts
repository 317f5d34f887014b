import { deploymentOf, lockNamed, lockOf, type RealServers } from '../../locks/index.ts';
import type { Deployment, RealLock, Verb } from '../../simulator/index.ts';
import { NO_LOCK } from '../clients/open-locks-of.ts';
import { IndependentRedis } from '../deployments/independent-redis.ts';
import { LinkedEnsemble, type LinkedServers } from '../deployments/linked-ensemble.ts';
import { noLock } from '../deployments/no-lock.ts';
import { OwnServersDeployment } from '../deployments/own-servers.ts';
import type {
  ClusterOptions,
  LockOnClusterOptions,
  RealCluster,
} from '../deployments/real-cluster.ts';
import { ReplicatedRedis } from '../deployments/redis-pair.ts';
import { DOWN_AFTER_MS, SentinelRedis } from '../deployments/sentinel-redis.ts';
import { type ClockedEnsemble, ZooKeeperDeployment } from '../deployments/zookeeper.ts';
import type { OwnServers } from '../servers/own-servers.ts';

/** What a cluster is made of, and the ensembles, which are started for the first trial that needs one. */
export interface DeploymentResources extends ClusterOptions {
  ensemble(): Promise<ClockedEnsemble>;
  /** Another, whose members are to be cut from each other. */
  linked(): Promise<LinkedServers>;
}

/** And the lock that is tried. */
type LockResources = DeploymentResources & LockOnClusterOptions;

/** Real servers: what can be done there, and how they are started for any lock. */
interface RealDeployment extends Omit<Deployment, 'ttlMs' | 'lock'> {
  /** By what the ttl is multiplied, where servers take long to come back. */
  readonly ttlTimes?: number;
  /** Left to a full evaluation. */
  readonly isFurther?: true;
  /** Servers whose clocks cannot be shifted where no library could be compiled have these verbs no longer. */
  readonly shifted?: readonly Verb[];
  open(grounds: LockResources): Promise<RealCluster>;
}

/** Servers on which a column is tried, with its lock. */
export interface LabDeployment extends Omit<RealDeployment, 'open'>, Pick<Deployment, 'lock'> {
  open(grounds: DeploymentResources): Promise<RealCluster>;
}

const NO_REPLICATION = 'its nodes know nothing of each other, so that none takes over from another';
const PEER_CUT = 'a leader that is cut from both followers is played as peer-cut';

/** What clients can suffer, and the ways on which they reach their servers. */
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
/** Verbs that leave servers alone. */
export const VERBS_SPARING_SERVERS: ReadonlySet<Verb> = new Set([...CLIENT_VERBS, ...LINK_VERBS]);

const PROCESS_VERBS: readonly Verb[] = ['stop', 'resumeServers', 'slow'];

const NONE: RealDeployment = {
  servers: 0,
  called: 'nothing',
  isEnsemble: false,
  verbs: ['pause', 'resume'],
  open: () => Promise.resolve(noLock()),
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
  open: (grounds) => IndependentRedis.open(grounds, { size: 1 }),
};

const LOG_VERBS: readonly Verb[] = ['crash', 'restartDurable', 'restartTorn', 'keepLog'];

const LOGGED: RealDeployment = {
  servers: 1,
  called: 'the server',
  isEnsemble: false,
  verbs: [...CLIENT_VERBS, ...LINK_VERBS, ...PROCESS_VERBS, ...LOG_VERBS],
  open: (grounds) => IndependentRedis.open(grounds, { size: 1, durable: true }),
};

const PAIR: RealDeployment = {
  servers: 1,
  called: 'the master',
  isEnsemble: false,
  verbs: ['stopReplication', 'failover', 'splitBrain', 'cutPeers', 'healPeers'],
  failover:
    'the master is killed before it has replicated the lock, and the replica is promoted at once',
  open: (grounds) => ReplicatedRedis.open(grounds),
};

const SENTINELS: RealDeployment = {
  servers: 1,
  called: 'the master',
  isEnsemble: false,
  verbs: ['stopReplication', 'failover'],
  failover: `the master is killed before it has replicated the lock; Sentinels notice after ${DOWN_AFTER_MS} ms and promote the replica`,
  open: (grounds) => SentinelRedis.open(grounds),
};

function five(durable: boolean, verbs: readonly Verb[]): RealDeployment {
  return {
    servers: 5,
    called: 'the servers',
    isEnsemble: false,
    verbs: [...CLIENT_VERBS, ...LINK_VERBS, ...PROCESS_VERBS, ...verbs],
    shifted: ['jumpBack'],
    lacks: { failover: NO_REPLICATION, splitBrain: NO_REPLICATION, cutPeers: NO_REPLICATION },
    open: (grounds) => IndependentRedis.open(grounds, { size: 5, durable }),
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
  open: async (grounds) => ZooKeeperDeployment.open(grounds, await grounds.ensemble()),
};

const LINKED: RealDeployment = {
  servers: 3,
  called: 'the servers',
  isEnsemble: true,
  verbs: ['cutPeers', 'healPeers'],
  open: async (grounds) => LinkedEnsemble.open(grounds, await grounds.linked()),
};

/** What one server alone shows, is what it makes of being stopped and of forgetting. */
const SINGLE_ZOOKEEPER: RealDeployment = {
  servers: 1,
  called: 'the one server',
  isEnsemble: false,
  // A JVM takes its time to come back, and the holder must not notice before that.
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
  open: (grounds) => ZooKeeperDeployment.single(grounds),
};

/** To add servers of another kind: their line here, and their name in `locks/lock.ts`. */
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
};

/** The servers on which a column is tried: each fault on the first that can show it. */
export function deploymentsOf(column: string): readonly LabDeployment[] {
  const { service = () => NO_LOCK } = lockOf(column) ?? {};
  const lock = lockOn(column);
  return (deploymentOf(column)?.real ?? []).map((kind) => ({
    ...REAL[kind],
    ...(lock === undefined ? {} : { lock }),
    open: (grounds) => REAL[kind].open({ ...grounds, service }),
  }));
}

/** Undefined for the control. */
function lockOn(column: string): RealLock | undefined {
  const { played, promises } = lockOf(column) ?? {};
  return played === undefined || promises === undefined
    ? undefined
    : { renews: promises.renews, ...played };
}

/** Servers of the user's, which are left alone; only our own clients and their ways are not. */
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
    // Sessions end on boundaries of ticks, and two of these are the shortest session.
    slackMs: servers.ttlMsMin / 2,
    open: (grounds) => OwnServersDeployment.open(grounds, servers),
  };
}
