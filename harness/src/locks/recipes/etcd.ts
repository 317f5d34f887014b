export { openEtcd } from '@holdfast/etcd';
