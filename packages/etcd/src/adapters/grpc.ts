import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { ConfigError, type Runtime } from '@holdfast/core';
import { NAME } from '../identity.ts';
import type { EtcdClient } from '../port.ts';
import { GrpcClient } from './grpc/client.ts';
import type { User } from './grpc/messages.ts';

/** Options of a client over gRPC. */
export interface GrpcOptions {
  /** `host:port` of each server. */
  readonly servers: readonly string[];
  readonly auth?: User | undefined;
  /** As in `EtcdOptions`. */
  readonly tls?: object | undefined;
}

/** Opens a client through `@grpc/grpc-js`; connects with the first request. @throws ConfigError for TLS options that are wrong */
export function openGrpcClient({ servers, auth, tls }: GrpcOptions, runtime: Runtime): EtcdClient {
  const servername = stringIn(tls, 'servername');
  return new GrpcClient({ servers, auth, runtime, servername, credentials: credentialsOf(tls) });
}

function credentialsOf(tls: object | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const options: SecureContextOptions = tls;
  const rejectUnauthorized = Reflect.get(tls, 'rejectUnauthorized') !== false;
  try {
    return credentials.createFromSecureContext(createSecureContext(options), {
      rejectUnauthorized,
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${NAME}: wrong TLS options: ${why}`, { backend: NAME, cause });
  }
}

function stringIn(options: object | undefined, name: string): string | undefined {
  const value: unknown = options === undefined ? undefined : Reflect.get(options, name);
  return typeof value === 'string' ? value : undefined;
}
