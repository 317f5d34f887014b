export { ChildProcesses } from '../processes/child-processes.ts';
export type { Client } from '../processes/clients/client.ts';
export { type ClientKind, Clients } from '../processes/clients/clients.ts';
export { ContentionTask } from '../processes/clients/contention-task.ts';
export type {
  ClientReport,
  ContentionWork,
  FromClient,
  NamedOpening,
  Opening,
  Probing,
  Sample,
  Task,
  TaskResult,
  ToClient,
} from '../processes/clients/messages.ts';
export { probe } from '../processes/clients/probing.ts';
export { hostMs } from '../processes/clock.ts';
export { compileShim, ShiftedClock } from '../processes/clock-shim.ts';
export { EventLog, historyOf, type LogEntry, livingOnly } from '../processes/event-log.ts';
export {
  ClocksUnreachable,
  ExternalClient,
  type ExternalOpening,
} from '../processes/external/external-client.ts';
export { Proxies, type ProxyPort } from '../processes/proxy/proxies.ts';
export {
  type CutScope,
  type Direction,
  Proxy,
  type ProxyTarget,
} from '../processes/proxy/proxy.ts';
export { ResourceClient } from '../processes/resource-client.ts';
export type { ServerProcess, StartCommand } from '../processes/server-process.ts';
export { Supervisor } from '../processes/supervisor.ts';
export { EtcdEnsemble } from '../servers/etcd/real/etcd-ensemble.ts';
export { ETCD_HINT, etcdVersion, findEtcd } from '../servers/etcd/real/etcd-install.ts';
export type { EtcdServer } from '../servers/etcd/real/etcd-server.ts';
export { findPostgres, POSTGRES_HINT } from '../servers/postgres/real/postgres-install.ts';
export {
  type LogEnd,
  PostgresServer,
  type PostgresServerOptions,
} from '../servers/postgres/real/postgres-server.ts';
export { PostgresReplication } from '../servers/postgres/real/replication.ts';
export { findRedisServer, redisServerVersion } from '../servers/redis/real/redis-install.ts';
export { RedisServer, type RedisServerOptions } from '../servers/redis/real/redis-server.ts';
export { type PeerRoute, ZooKeeperEnsemble } from '../servers/zookeeper/real/zookeeper-ensemble.ts';
export { findZooKeeper, ZOOKEEPER_HINT } from '../servers/zookeeper/real/zookeeper-install.ts';
export { ZooKeeperServer } from '../servers/zookeeper/real/zookeeper-server.ts';
export { createServerFactory, type Opener, type ServerFactory } from './server-factory.ts';
