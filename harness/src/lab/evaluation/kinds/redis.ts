import type { Verb } from '../../../simulator/index.ts';
import { IndependentRedis } from '../../deployments/independent-redis.ts';
import { ReplicatedRedis } from '../../deployments/redis-pair.ts';
import { DOWN_AFTER_MS, SentinelRedis } from '../../deployments/sentinel-redis.ts';
import {
  CLIENT_VERBS,
  LINK_VERBS,
  LOG_VERBS,
  PROCESS_VERBS,
  REPLICATION_VERBS,
  type RealDeployment,
} from './real-deployment.ts';

const NO_REPLICATION = 'its nodes do not know each other, so none takes over from another';

export const SINGLE: RealDeployment = {
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

export const LOGGED: RealDeployment = {
  servers: 1,
  called: 'the server',
  isEnsemble: false,
  verbs: [...CLIENT_VERBS, ...LINK_VERBS, ...PROCESS_VERBS, ...LOG_VERBS],
  open: (resources) => IndependentRedis.open(resources, { size: 1, durable: true }),
};

export const PAIR: RealDeployment = {
  servers: 1,
  called: 'the master',
  isEnsemble: false,
  verbs: REPLICATION_VERBS,
  failover:
    'the master is killed before it has replicated the lock, and the replica is promoted at once',
  onlySimulated: 'a replica that takes over with another clock than its master’s is only simulated',
  outageNote:
    'Without Sentinels the lab promoted the replica at once, and no operator is as quick.',
  open: (resources) => ReplicatedRedis.open(resources),
};

export const SENTINELS: RealDeployment = {
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

export const FIVE: RealDeployment = five(false, ['restartEmpty', 'jumpAhead', 'jumpBack']);
export const FIVE_LOGGED: RealDeployment = five(true, LOG_VERBS);
