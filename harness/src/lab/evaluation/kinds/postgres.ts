import { OnePostgres } from '../../deployments/postgres.ts';
import { ReplicatedPostgres } from '../../deployments/replicated-postgres.ts';
import {
  CLIENT_VERBS,
  LINK_VERBS,
  LOG_VERBS,
  PROCESS_VERBS,
  REPLICATION_VERBS,
  type RealDeployment,
} from './real-deployment.ts';

export const POSTGRES: RealDeployment = {
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
export const FORGETFUL_POSTGRES: RealDeployment = {
  ...POSTGRES,
  ttlTimes: 3,
  verbs: ['restartEmpty'],
};

export const POSTGRES_PAIR: RealDeployment = {
  servers: 1,
  called: 'the primary',
  isEnsemble: false,
  // A promotion takes some hundred milliseconds, and the holder must not notice earlier.
  ttlTimes: 3,
  verbs: REPLICATION_VERBS,
  failover:
    'the primary is killed before its standby has the lock, and the standby is promoted at once',
  open: (resources) => ReplicatedPostgres.open(resources, { standbys: 1, isSynchronous: false }),
};

const STANDBYS = 2;
const AS_ALONE = 'as on postgres: a standby changes nothing until it is promoted';

export const SYNCHRONOUS_POSTGRES: RealDeployment = {
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
