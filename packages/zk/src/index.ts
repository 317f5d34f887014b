export type { ClientOptions } from './adapters/sockets.ts';
export type { NativeSessionOptions } from './adapters/zookeeper.ts';
export { clientSessions } from './client.ts';
export { capabilities } from './identity.ts';
export { nativeSessions } from './native.ts';
export { openZk, type ZkOptions } from './open.ts';
export * from './port.ts';
