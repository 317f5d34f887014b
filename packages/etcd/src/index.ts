export { type Guard, guard } from './guard.ts';
export { capabilities } from './identity.ts';
export { type EtcdOptions, openEtcd } from './open.ts';
export * from './port.ts';
