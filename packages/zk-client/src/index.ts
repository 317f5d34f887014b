export * from './any-network.ts';
export { Session, type SessionOptions, systemNetwork, type TlsOptions } from './socket.ts';
