import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { ChannelCredentials } from '@grpc/grpc-js';
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

type Library = typeof import('@grpc/grpc-js');

/**
 * Opens a client through `@grpc/grpc-js`; connects with the first request.
 * @throws ConfigError if the library is not installed, and for TLS options that are wrong
 */
export async function openGrpcClient(
  { servers, auth, tls }: GrpcOptions,
  runtime: Runtime,
): Promise<EtcdClient> {
  const grpc = await load();
  const servername = stringIn(tls, 'servername');
  const credentials = credentialsOf(grpc, tls);
  return new GrpcClient({ grpc, servers, auth, runtime, servername, credentials });
}

/** The library is optional, since most services lock on other stores. */
async function load(): Promise<Library> {
  try {
    return await import('@grpc/grpc-js');
  } catch (cause) {
    const message = 'the client library @grpc/grpc-js is not installed: npm i @grpc/grpc-js';
    throw new ConfigError(message, { backend: NAME, cause });
  }
}

function credentialsOf({ credentials }: Library, tls: object | undefined): ChannelCredentials {
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
