/** Real servers on this machine, and the proxy before them, for tests outside of the harness. */

export { ClientLinks } from '../../src/lab/deployments/client-links.ts';
export { hostMs } from '../../src/processes/clock.ts';
export { AdapterProcess } from '../../src/processes/external/adapter-process.ts';
export { freePort, freePorts, onFreePorts } from '../../src/processes/free-ports.ts';
export { Proxies } from '../../src/processes/proxy/proxies.ts';
export { type Direction, Proxy } from '../../src/processes/proxy/proxy.ts';
export { ServerProcess } from '../../src/processes/server-process.ts';
export { Supervisor } from '../../src/processes/supervisor.ts';
export { EtcdEnsemble } from '../../src/servers/etcd/real/etcd-ensemble.ts';
export { EtcdServer } from '../../src/servers/etcd/real/etcd-server.ts';
export { EtcdctlLock, etcdctl } from '../../src/servers/etcd/real/etcdctl.ts';
export { PgBouncer } from '../../src/servers/postgres/real/pgbouncer.ts';
export { findPgBouncer } from '../../src/servers/postgres/real/postgres-install.ts';
export { PostgresServer } from '../../src/servers/postgres/real/postgres-server.ts';
export { PostgresReplication } from '../../src/servers/postgres/real/replication.ts';
export { RedisCluster } from '../../src/servers/redis/real/redis-cluster.ts';
export type { RedisClusterNode } from '../../src/servers/redis/real/redis-cluster-node.ts';
export { RedisServer } from '../../src/servers/redis/real/redis-server.ts';
export { SentinelDeployment } from '../../src/servers/redis/real/sentinel.ts';
export { ZooKeeperEnsemble } from '../../src/servers/zookeeper/real/zookeeper-ensemble.ts';
export { findZooKeeper } from '../../src/servers/zookeeper/real/zookeeper-install.ts';
export {
  fourLetters,
  ZooKeeperServer,
  type ZooKeeperServerOptions,
} from '../../src/servers/zookeeper/real/zookeeper-server.ts';
