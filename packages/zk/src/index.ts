export type { ClientOptions } from './adapters/sockets.ts';
export type { NativeSessionOptions } from './adapters/zookeeper.ts';
export { capabilities } from './identity.ts';
export { openZk, type ZkOptions } from './open.ts';
export * from './port.ts';
export { clientSessions, nativeSessions } from './session-openers.ts';
