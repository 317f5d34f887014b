export { ChildProcesses } from './child-processes.ts';
export { Client } from './clients/client.ts';
export { Contending } from './clients/contending.ts';
export { Crew } from './clients/crew.ts';
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
} from './clients/messages.ts';
export { probe } from './clients/probing.ts';
export { hostMs } from './clock.ts';
export { compileShim, ShiftedClock } from './clock-shim.ts';
export { type Entry, EventLog, historyOf, livingOnly } from './event-log.ts';
export { type Opener, type Plant, plant } from './plant.ts';
export type { Target } from './proxy/orders.ts';
export { type Door, Proxies } from './proxy/proxies.ts';
export { type Direction, type Only, Proxy } from './proxy/proxy.ts';
export { findRedisServer, redisServerVersion } from './redis-install.ts';
export { RedisServer, type RedisServerOptions } from './redis-server.ts';
export { ResourceClient } from './resource-client.ts';
export type { ServerProcess, Started } from './server-process.ts';
export { Supervisor } from './supervisor.ts';
export { type PeerLink, ZooKeeperEnsemble } from './zookeeper-ensemble.ts';
export { findZooKeeper, ZOOKEEPER_HINT } from './zookeeper-install.ts';
export { ZooKeeperServer } from './zookeeper-server.ts';
