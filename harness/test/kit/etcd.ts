/** The simulated etcd, for tests that compare it with the real one. */

export { EtcdStore } from '../../src/servers/etcd/simulated/store.ts';
