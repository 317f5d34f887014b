import type { NetworkSessionOptions } from './options.ts';
import { NetworkSession } from './session.ts';
import { systemNetwork, type TlsOptions } from './socket.ts';

export interface SessionOptions extends Omit<NetworkSessionOptions, 'network'> {
  /** Speaks TLS, with these options of `node:tls`. */
  readonly tls?: TlsOptions | undefined;
}

/** One ZooKeeper session over TCP, or TLS. */
export class Session extends NetworkSession {
  /** Resolves connected. Rejects with `OpenError`, or `OptionError` for options that cannot be right. */
  static override open({ tls, ...options }: SessionOptions): Promise<Session> {
    return super.open({ ...options, network: systemNetwork(tls) });
  }
}
