import { EtcdDeployment } from '../../deployments/etcd.ts';
import { CLIENT_VERBS, LINK_VERBS, PROCESS_VERBS, type RealDeployment } from './real-deployment.ts';

const ETCD_SERVERS = 3;
const NO_CLOCK = 'etcd is linked statically, so no library shifts its clock; leases do not read it';

export const ETCD: RealDeployment = {
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
