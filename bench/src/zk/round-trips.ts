import type { Socket } from 'node:net';
import { Proxy } from '@holdfast/harness/real';
import { zkLocks } from './built.ts';
import { SESSION_MS } from './pair-workload.ts';

export interface ZkRoundTrips {
  readonly acquire: number;
  readonly release: number;
}

const PING_XID = -2;
const LENGTH_BYTES = 4;

/** Counts the requests, except pings and the opening of a session. */
class RequestCounter {
  requests = 0;

  watch(client: Socket): void {
    let bytes = Buffer.alloc(0);
    let isOpening = true;
    client.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 2 * LENGTH_BYTES) {
        const end = LENGTH_BYTES + bytes.readInt32BE(0);
        if (bytes.length < end) return;
        if (!isOpening && bytes.readInt32BE(LENGTH_BYTES) !== PING_XID) this.requests++;
        isOpening = false;
        bytes = bytes.subarray(end);
      }
    });
  }
}

/** The requests of the second acquire and release of a key, counted on the wire. */
export async function countRoundTrips(address: string): Promise<ZkRoundTrips> {
  const counter = new RequestCounter();
  const way = await Proxy.start(Number(address.split(':')[1]), (client) => counter.watch(client));
  const locks = await zkLocks([`127.0.0.1:${way.port}`], SESSION_MS);
  try {
    await locks.use('round-trips', () => {});
    const before = counter.requests;
    const lease = await locks.acquire('round-trips');
    const between = counter.requests;
    await lease.release();
    return { acquire: between - before, release: counter.requests - between };
  } finally {
    await locks.close();
    await way.close();
  }
}
