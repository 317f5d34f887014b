// The simulated servers that only a run on them loads: the other entry of this folder loads none of them.
export { SimEtcdClient } from '../servers/etcd/simulated/client.ts';
export { SimEtcd, type SimEtcdOptions } from '../servers/etcd/simulated/ensemble.ts';
export type { SimEtcdServer } from '../servers/etcd/simulated/server.ts';
export { simPostgresClient, simPostgresDatabase } from '../servers/postgres/simulated/database.ts';
export { PostgresEngine } from '../servers/postgres/simulated/engine.ts';
export { SimPostgresServer } from '../servers/postgres/simulated/server.ts';
export { loadParser as loadSqlParser } from '../servers/postgres/simulated/sql/parse.ts';
export { SimZooKeeper, type SimZooKeeperOptions } from '../servers/zookeeper/simulated/ensemble.ts';
export {
  type SimSessionOptions,
  simOpenSession,
} from '../servers/zookeeper/simulated/open-session.ts';
export type { SimZnode, SimZooKeeperServer } from '../servers/zookeeper/simulated/server.ts';
