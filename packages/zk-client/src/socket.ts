/** The only file of this package that knows Node: names, TCP and TLS. */

import dns from 'node:dns';
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext } from 'node:tls';
import { OptionError } from './errors.ts';
import type { ServerAddress } from './servers.ts';

/** Options of `node:tls`, where the servers speak TLS. */
export type TlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket'>;

/** Throws {@link OptionError}, which does not quote keys or passphrases. */
export function checkTls(tls: TlsOptions): void {
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new OptionError(`tls: ${error instanceof Error ? error.message : 'cannot be used'}`);
  }
}

/** A stream of bytes to one server. */
export interface Wire {
  /** Nothing is lost silently: bytes either leave in order or the wire ends. */
  write(bytes: Uint8Array): void;
  /** Whether it keeps the process alive; it does until told otherwise. */
  keepAlive(isAwaited: boolean): void;
  /** At once; no event follows. */
  destroy(): void;
}

export interface WireEvents {
  /** Connected, TLS included. */
  up(): void;
  /** The chunk is good for this call only: what comes next may be read into the same memory. */
  bytes(chunk: Uint8Array): void;
  /** Once, also when it never came up. */
  down(cause: Error): void;
}

/** Opens a wire; `tls` undefined means plain TCP. */
export type Dial = (server: ServerAddress, tls: TlsOptions | undefined, events: WireEvents) => Wire;

/** Tells the IP addresses behind a name, or why there are none; once. */
export type Resolve = (host: string, callback: (found: readonly string[] | Error) => void) => void;

/** How a session reaches its servers. */
export interface Network {
  readonly dial: Dial;
  readonly resolve: Resolve;
}

/** As the rest of the process resolves, /etc/hosts included. */
const resolveName: Resolve = (host, callback) => {
  if (isIP(host) !== 0) return callback([host]);
  // Not imported by its name: tools replace it.
  dns.lookup(host, { all: true }, (error, found) =>
    callback(error ?? found.map(({ address }) => address)),
  );
};

/** From this process. */
const dialSocket: Dial = ({ host, address, port, name }, tls, events) => {
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

export const systemNetwork: Network = { dial: dialSocket, resolve: resolveName };

/** As much as Node would set aside for every single read. */
const READ_BYTES = 65_536;

/** Past the machinery of streams, which costs a tenth of the time of a small request. */
function readInto(buffer: Uint8Array, events: WireEvents): OnReadOpts {
  return {
    buffer,
    callback: (length) => {
      events.bytes(buffer.subarray(0, length));
      return true;
    },
  };
}

/** Names only: TLS forbids addresses there. */
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

  /** What is written in one turn leaves in one packet. */
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
