import { type Clock, systemNetwork, type TlsOptions } from '@holdfast/zk-client';
import type { OpenSession } from '../port.ts';
import { type ClientOptions, openSessions } from './zk-client.ts';

export interface SocketOptions extends Omit<ClientOptions, 'network'> {
  /** Speaks TLS, with these options of `tls.connect`. */
  readonly tls?: TlsOptions | undefined;
}

/** Sessions over TCP, or TLS. */
export function openSocketSessions({ tls, ...options }: SocketOptions, clock: Clock): OpenSession {
  return openSessions({ ...options, network: systemNetwork(tls) }, clock);
}
