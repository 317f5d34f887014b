/** Real servers on this machine, and the proxy before them, for tests outside of the harness. */

export { Proxy } from '../../src/processes/proxy/proxy.ts';
export { RedisServer } from '../../src/servers/redis/real/redis-server.ts';
export { ZooKeeperEnsemble } from '../../src/servers/zookeeper/real/zookeeper-ensemble.ts';
export { fourLetters, ZooKeeperServer } from '../../src/servers/zookeeper/real/zookeeper-server.ts';
