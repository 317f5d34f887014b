import type { Network as ClientNetwork, Wire, WireEvents } from '@holdfast/zk-client/network';
import type { Connection, ConnectionListener } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { type Random, random } from '../../../sim/random.ts';
import { readConnectRequest, readRequest } from './codec.ts';
import { describeRequest } from './request.ts';
import type { SimZooKeeperServer } from './server.ts';

/** Connects the client in a process to simulated servers, by their names. */
export function simClientNetwork(
  process: SimProcess,
  network: Network,
  servers: readonly SimZooKeeperServer[],
): ClientNetwork {
  const cuts = random(`${process.name}/cuts`);
  return {
    resolve: (host, resolved) => resolved([host]),
    dial: ({ host }, events) => {
      const server = servers.find(({ name }) => name === host);
      if (server === undefined) throw new Error(`unknown server ${host}`);
      return new SimWire({ process, network, server, events, cuts });
    },
  };
}

interface SimWireParts {
  readonly process: SimProcess;
  readonly network: Network;
  readonly server: SimZooKeeperServer;
  readonly events: WireEvents;
  /** Draws which replies are cut, and at which byte. */
  readonly cuts: Random;
}

/** One frame in eight is cut: joining pieces costs time, and the first cut frame detects a client that cannot. */
const CUT_ONE_OF = 8;

/**
 * A simulated connection in place of a socket. A frame is one message, labelled with the kind of its request. Some
 * replies arrive in two pieces, as in a stream of bytes.
 */
class SimWire implements Wire, ConnectionListener {
  readonly #server: SimZooKeeperServer;
  readonly #events: WireEvents;
  readonly #cuts: Random;
  readonly #connection: Connection;
  #hasConnected = false;
  #isOver = false;

  constructor({ process, network, server, events, cuts }: SimWireParts) {
    this.#server = server;
    this.#events = events;
    this.#cuts = cuts;
    this.#connection = network.connect(process, server, this);
  }

  ready(): void {
    if (!this.#isOver) this.#events.up();
  }

  closed(cause: Error): void {
    if (!this.#isOver) this.#events.down(cause);
  }

  write(frame: Uint8Array): void {
    if (!this.#hasConnected) return this.#openSession(frame);
    const numbered = readRequest(frame);
    const { request } = numbered;
    this.#connection.request(
      request.kind,
      () => this.#server.program.clients.serve(this.#connection, numbered),
      () => describeRequest(request),
    );
  }

  /** Does nothing: no connection keeps a simulated process alive. */
  keepAlive(): void {}

  destroy(): void {
    this.#isOver = true;
    this.#connection.close();
  }

  #openSession(frame: Uint8Array): void {
    this.#hasConnected = true;
    const request = readConnectRequest(frame);
    this.#connection.request('session', () =>
      this.#server.program.clients.connect(this.#connection, request, this.#receive),
    );
  }

  readonly #receive = (frame: Uint8Array): void => {
    if (this.#cuts.below(CUT_ONE_OF) > 0) return this.#events.bytes(frame);
    const at = 1 + this.#cuts.below(frame.length - 1);
    this.#events.bytes(frame.subarray(0, at));
    if (!this.#isOver) this.#events.bytes(frame.subarray(at));
  };
}
