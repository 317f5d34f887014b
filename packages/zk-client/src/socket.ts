/** Names, TCP and TLS: the only file of this package that uses Node. */

import dns from 'node:dns';
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext } from 'node:tls';
import { OptionError } from './errors.ts';
import type { Dial, Network, Resolve, Wire, WireEvents } from './network.ts';
import type { NetworkSessionOptions } from './options.ts';
import { NetworkSession } from './session.ts';

/** Options of `node:tls`, where the servers speak TLS. */
export type TlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket'>;

/** Options of a session over TCP or TLS. */
export interface SessionOptions extends Omit<NetworkSessionOptions, 'network'> {
  /** Uses TLS with these options of `node:tls`. */
  readonly tls?: TlsOptions | undefined;
}

/**
 * One ZooKeeper session over TCP, or TLS.
 * @example
 * ```ts
 * const session = await Session.open({ servers: ['zk1:2181'], sessionTimeoutMs: 10_000 });
 * const { path } = await session.create('/jobs/job-', 'open', { mode: 'ephemeral-sequential' });
 * log(path); // such as /jobs/job-0000000007
 * await session.close();
 * ```
 */
export class Session extends NetworkSession {
  /** Resolves connected. Rejects with `OpenError`, or `OptionError` for invalid options. */
  static override open({ tls, ...options }: SessionOptions): Promise<Session> {
    return super.open({ ...options, network: systemNetwork(tls) });
  }
}

/** Throws {@link OptionError}, which does not quote keys or passphrases. */
function checkTls(tls: TlsOptions): void {
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new OptionError(`tls: ${error instanceof Error ? error.message : 'cannot be used'}`);
  }
}

/** Resolves names like the rest of the process, /etc/hosts included. */
const resolveName: Resolve = (host, callback) => {
  if (isIP(host) !== 0) return callback([host]);
  // Not imported by its own name: tools replace it on the module.
  dns.lookup(host, { all: true }, (error, found) =>
    callback(error ?? found.map(({ address }) => address)),
  );
};

/**
 * The network of this process: TCP, or TLS if its options are set.
 * @example
 * ```ts
 * const network = systemNetwork({ ca: source });
 * const session = await NetworkSession.open({ network, servers: ['zk1:2281'] });
 * ```
 */
export function systemNetwork(tls?: TlsOptions): Network {
  return {
    dial: dialBy(tls),
    resolve: resolveName,
    check: () => {
      if (tls !== undefined) checkTls(tls);
    },
  };
}

function dialBy(tls: TlsOptions | undefined): Dial {
  return ({ host, address, port, name }, events) => {
    const socket =
      tls === undefined
        ? connectTcp({ host: address, port, onread: readInto(new Uint8Array(READ_BYTES), events) })
        : connectTls({ servername: sni(host), ...tls, host: address, port });
    socket.setNoDelay(true);
    let failure: Error | undefined;
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => events.up());
    socket.on('data', (chunk: Buffer) =>
      // Not the Buffer: its `slice` does not copy.
      events.bytes(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)),
    );
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('close', () => events.down(failure ?? new Error(`${name} closed the connection`)));
    return new SocketWire(socket);
  };
}

/** The size that Node would allocate for every single read. */
const READ_BYTES = 65_536;

/** Reads without Node's streams, which cost a tenth of the time of a small request. */
function readInto(buffer: Uint8Array, events: WireEvents): OnReadOpts {
  return {
    buffer,
    callback: (length) => {
      events.bytes(buffer.subarray(0, length));
      return true;
    },
  };
}

/** The name to send with TLS, which forbids addresses there. */
function sni(host: string): string {
  return isIP(host) === 0 ? host : '';
}

class SocketWire implements Wire {
  readonly #socket: Socket;
  #isCorked = false;
  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#socket.uncork();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Bytes that are written in one turn are sent in one packet. */
  write(bytes: Uint8Array): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(this.#uncork);
    }
    this.#socket.write(bytes);
  }

  keepAlive(isAwaited: boolean): void {
    if (isAwaited) this.#socket.ref();
    else this.#socket.unref();
  }

  destroy(): void {
    this.#socket.removeAllListeners('data').removeAllListeners('close');
    this.#socket.destroy();
  }
}
