export * from './any-network.ts';
export { systemNetwork, type TlsOptions } from './socket.ts';
export { Session, type SessionOptions } from './socket-session.ts';
