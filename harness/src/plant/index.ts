export { ChildProcesses } from '../processes/child-processes.ts';
export { Client } from '../processes/clients/client.ts';
export { Contending } from '../processes/clients/contending.ts';
export { Crew } from '../processes/clients/crew.ts';
export type {
  Found,
  FromClient,
  NamedOpening,
  Opening,
  Probing,
  Sample,
  Sign,
  Task,
  ToClient,
  Work,
} from '../processes/clients/messages.ts';
export { probe } from '../processes/clients/probing.ts';
export { hostMs } from '../processes/clock.ts';
export { compileShim, ShiftedClock } from '../processes/clock-shim.ts';
export { type Entry, EventLog, historyOf, livingOnly } from '../processes/event-log.ts';
export type { Target } from '../processes/proxy/orders.ts';
export { type Door, Proxies } from '../processes/proxy/proxies.ts';
export { type Direction, type Only, Proxy } from '../processes/proxy/proxy.ts';
export { ResourceClient } from '../processes/resource-client.ts';
export type { ServerProcess, Started } from '../processes/server-process.ts';
export { Supervisor } from '../processes/supervisor.ts';
export { findRedisServer, redisServerVersion } from '../servers/redis/real/redis-install.ts';
export { RedisServer, type RedisServerOptions } from '../servers/redis/real/redis-server.ts';
export { type PeerLink, ZooKeeperEnsemble } from '../servers/zookeeper/real/zookeeper-ensemble.ts';
export { findZooKeeper, ZOOKEEPER_HINT } from '../servers/zookeeper/real/zookeeper-install.ts';
export { ZooKeeperServer } from '../servers/zookeeper/real/zookeeper-server.ts';
export { type Opener, type Plant, plant } from './plant.ts';
