export type {
  Plant,
  ServerProcess,
  Started,
  ZooKeeperEnsemble as ZooKeeperServers,
  ZooKeeperServer as ZooKeeperMember,
} from '@holdfast/processes';
