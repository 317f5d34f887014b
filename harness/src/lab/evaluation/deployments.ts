import { deploymentOf, lockNamed, lockOf, type RealServers } from '../../locks/index.ts';
import type { Deployment, RealLock } from '../../simulator/index.ts';
import { NO_LOCK } from '../clients/open-locks-of.ts';
import { type OwnServers, OwnServersDeployment } from '../deployments/own-servers.ts';
import type { LockOnClusterOptions, RealCluster } from '../deployments/real-cluster.ts';
import { ETCD } from './kinds/etcd.ts';
import {
  FORGETFUL_POSTGRES,
  POSTGRES,
  POSTGRES_PAIR,
  SYNCHRONOUS_POSTGRES,
} from './kinds/postgres.ts';
import type { DeploymentResources, RealDeployment } from './kinds/real-deployment.ts';
import { FIVE, FIVE_LOGGED, LOGGED, PAIR, SENTINELS, SINGLE } from './kinds/redis.ts';
import { ENSEMBLE, LINKED, SINGLE_ZOOKEEPER } from './kinds/zookeeper.ts';

/** Servers on which a column is tested, with its lock. */
export interface LabDeployment extends Omit<RealDeployment, 'open'>, Pick<Deployment, 'lock'> {
  open(resources: DeploymentResources): Promise<RealCluster>;
}

const NONE: RealDeployment = {
  servers: 0,
  called: 'nothing',
  isEnsemble: false,
  verbs: ['pause', 'resume'],
  open: () => Promise.resolve({ opening: () => NO_LOCK, close: () => Promise.resolve() }),
};

/** All real servers, by name. To add a kind, add its line here, and its name in `locks/lock.ts`. */
const REAL: Readonly<Record<RealServers, RealDeployment>> = {
  none: NONE,
  'one-redis': SINGLE,
  'one-logged-redis': LOGGED,
  'redis-pair': PAIR,
  'redis-sentinels': SENTINELS,
  'five-redis': FIVE,
  'five-logged-redis': FIVE_LOGGED,
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
  const { load, wire } = lockOf(column) ?? {};
  const lock = lockOn(column);
  return (deploymentOf(column)?.real ?? []).map((kind) => ({
    ...REAL[kind],
    ...(lock === undefined ? {} : { lock }),
    open: async (resources) => {
      await load?.();
      return await REAL[kind].open({ ...resources, service, schema: wire?.schema?.() });
    },
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
