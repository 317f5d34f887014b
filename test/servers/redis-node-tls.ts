export * from '../support/tls-server.ts';
