import { type Clock, systemNetwork, type TlsOptions } from '@holdfast/zk-client';
import type { OpenSession } from '../port.ts';
import { type NetworkClientOptions, openSessions } from './zk-client.ts';

/** Options of sessions through `@holdfast/zk-client`. */
export interface ClientOptions extends Omit<NetworkClientOptions, 'network'> {
  /** Uses TLS with these options of `tls.connect`. */
  readonly tls?: TlsOptions | undefined;
}

/** Opens sessions over TCP or TLS. */
export function openSocketSessions({ tls, ...options }: ClientOptions, clock: Clock): OpenSession {
  return openSessions({ ...options, network: systemNetwork(tls) }, clock);
}
