import type { Socket } from 'node:net';

/** The reply of one server that this session has ended. */
export interface Word {
  readonly session: string;
  /** Its place among the servers. */
  readonly server: number;
  readonly atMs: number;
}

const ASKED = { session: 20, bytes: 28 };
const ANSWERED = { timeout: 8, session: 12, bytes: 20 };

/**
 * Hears which sessions servers take for ended: the only ground on which a client may say so. The first packet of a
 * connection names the session, and the first one back grants a timeout, or none.
 */
export class Ear {
  readonly #words = new Map<string, Word>();

  /** To be given both ends of every connection to this server. */
  at(server: number): (client: Socket, upstream: Socket) => void {
    return (client, upstream) => {
      let session = 0n;
      once(client, ASKED.bytes, (bytes) => {
        session = bytes.readBigInt64BE(ASKED.session);
      });
      once(upstream, ANSWERED.bytes, (bytes) => {
        const isGranted =
          bytes.readInt32BE(ANSWERED.timeout) > 0 && bytes.readBigInt64BE(ANSWERED.session) !== 0n;
        if (session === 0n || isGranted) return;
        const id = sessionName(session);
        this.#words.set(id, { session: id, server, atMs: performance.now() });
      });
    };
  }

  /** The latest word on this session. */
  wordOn(session: string): Word | undefined {
    return this.#words.get(session);
  }
}

/** As servers and `node` events write it. */
export function sessionName(id: bigint): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}

/** Hands on the first bytes of a stream, once there are enough. */
function once(stream: Socket, least: number, take: (bytes: Buffer) => void): void {
  let bytes = Buffer.alloc(0);
  const hear = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length < least) return;
    stream.off('data', hear);
    take(bytes);
  };
  stream.on('data', hear);
}
