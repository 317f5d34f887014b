import type { Deployment, Verb } from '../../../simulator/index.ts';
import type { LinkedServers } from '../../deployments/linked-ensemble.ts';
import type {
  ClusterOptions,
  LockOnClusterOptions,
  RealCluster,
} from '../../deployments/real-cluster.ts';
import type { ClockedEnsemble } from '../../deployments/zookeeper.ts';

/** The options of a cluster, with shared ensembles. These are started for the first trial that needs one. */
export interface DeploymentResources extends ClusterOptions {
  ensemble(): Promise<ClockedEnsemble>;
  /** The ensemble whose members can be cut from each other. */
  linked(): Promise<LinkedServers>;
}

/** The resources, and the lock under test. */
export type LockResources = DeploymentResources & LockOnClusterOptions;

/** Real servers: their verbs, and how they are started for any lock. */
export interface RealDeployment extends Omit<Deployment, 'ttlMs' | 'lock'> {
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

/** The verbs that hit clients, and those that hit their links to servers. */
export const CLIENT_VERBS: readonly Verb[] = [
  ...(['leave', 'pause', 'sleep', 'block', 'resume', 'kill', 'jumpClock'] as const),
  ...(['holdWrites', 'releaseWrites'] as const),
];
export const LINK_VERBS: readonly Verb[] = [
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

export const PROCESS_VERBS: readonly Verb[] = ['stop', 'resumeServers', 'slow'];

export const LOG_VERBS: readonly Verb[] = ['crash', 'restartDurable', 'restartTorn', 'keepLog'];

export const REPLICATION_VERBS: readonly Verb[] = [
  'stopReplication',
  'failover',
  'splitBrain',
  'cutPeers',
  'healPeers',
];
