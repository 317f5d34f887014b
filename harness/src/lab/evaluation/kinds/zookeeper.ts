import { LinkedEnsemble } from '../../deployments/linked-ensemble.ts';
import { ZooKeeperDeployment } from '../../deployments/zookeeper.ts';
import { CLIENT_VERBS, LINK_VERBS, PROCESS_VERBS, type RealDeployment } from './real-deployment.ts';

const PEER_CUT = 'a leader that is cut from both followers is run as peer-cut';

export const ENSEMBLE: RealDeployment = {
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

export const LINKED: RealDeployment = {
  servers: 3,
  called: 'the servers',
  isEnsemble: true,
  verbs: ['cutPeers', 'healPeers'],
  open: async (resources) => LinkedEnsemble.open(resources, await resources.linked()),
};

/** A single server shows what happens when it is stopped and when it loses its data. */
export const SINGLE_ZOOKEEPER: RealDeployment = {
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
