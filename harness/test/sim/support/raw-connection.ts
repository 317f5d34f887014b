import { int32, Reader, Writer } from '@holdfast/zk-client/jute';
import type { Wire } from '@holdfast/zk-client/network';
import { simClientNetwork } from '../../../src/servers/zookeeper/simulated/dial.ts';
import type { SimProcess } from '../../../src/simulator/index.ts';
import type { ZooKeeperWorld } from './zookeeper-world.ts';

const LENGTH_BYTES = 4;

/** A server's reply to the first frame: a session of id 0 has expired, or is another client's. */
export interface SessionReply {
  readonly id: bigint;
  readonly password: Uint8Array;
}

/** A connection to a simulated server on which a test writes frames of its own. */
export class RawConnection {
  /** Number of pieces in which each frame arrived. */
  readonly pieces: number[] = [];
  readonly #wire: Promise<Wire>;
  readonly #waiting: ((frame: Reader) => void)[] = [];
  #parts: Uint8Array[] = [];

  constructor(sim: ZooKeeperWorld, process: SimProcess, number = 1) {
    const { dial } = simClientNetwork(process, sim.network, [sim.server(number)]);
    const { name } = sim.server(number);
    const server = { host: name, address: name, name, port: 2181 };
    this.#wire = new Promise((resolve, reject) => {
      const wire: Wire = dial(server, {
        up: () => resolve(wire),
        bytes: (chunk) => this.#add(chunk),
        down: reject,
      });
    });
  }

  /** Requests the session of that id and password; a new one without. */
  async openSession({ id, password }: SessionReply = NEW): Promise<SessionReply> {
    const reply = await this.call((writer) =>
      writer.int(0).long(0n).int(4_000).long(id).bytes(password).bool(false),
    );
    reply.int();
    reply.int();
    return { id: reply.long(), password: reply.bytes() };
  }

  /** Sends a request of that number and type; resolves to the code of its reply, 0 for success. */
  async request(xid: number, type: number, body: (writer: Writer) => Writer): Promise<number> {
    const reply = await this.call((writer) => body(writer.int(xid).int(type)));
    if (reply.int() !== xid) throw new Error(`the reply is not to ${xid}`);
    reply.long();
    return reply.int();
  }

  /** Rejects if the simulated servers cannot execute the frame. */
  async call(write: (writer: Writer) => Writer): Promise<Reader> {
    const wire = await this.#wire;
    return await new Promise((resolve) => {
      this.#waiting.push(resolve);
      wire.write(write(new Writer()).frame());
    });
  }

  async close(): Promise<void> {
    (await this.#wire).destroy();
  }

  #add(chunk: Uint8Array): void {
    this.#parts.push(chunk.slice());
    const bytes = Uint8Array.from(this.#parts.flatMap((part) => [...part]));
    if (bytes.length < LENGTH_BYTES || bytes.length < LENGTH_BYTES + int32(bytes, 0)) return;
    this.pieces.push(this.#parts.length);
    this.#parts = [];
    this.#waiting.shift()?.(new Reader(bytes.subarray(LENGTH_BYTES)));
  }
}

const NEW: SessionReply = { id: 0n, password: new Uint8Array(16) };
