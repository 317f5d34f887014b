import { connect, createServer, type Server, type Socket } from 'node:net';
import { Flow } from './flow.ts';

/** Which bytes: from clients to the server, back, or both. */
export type Direction = 'up' | 'down' | 'both';

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly flows: readonly Flow[];
}

/** A way on loopback to one port, which can be cut, delayed, reset, and turned to another port. */
export class Proxy {
  readonly #listener: Server;
  readonly #connections = new Set<Connection>();
  readonly #cut = { up: false, down: false };
  #target: number;
  #delayMs = 0;

  private constructor(target: number) {
    this.#target = target;
    this.#listener = createServer((client) => this.#join(client));
  }

  static async start(target: number): Promise<Proxy> {
    const proxy = new Proxy(target);
    await new Promise<void>((done, fail) => {
      proxy.#listener.once('error', fail);
      proxy.#listener.listen(0, '127.0.0.1', done);
    });
    return proxy;
  }

  get port(): number {
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is closed');
    return address.port;
  }

  /** Holds bytes; sockets stay open, and new connections are accepted but silent, as behind a firewall that drops. */
  cut(direction: Direction): void {
    if (direction !== 'down') this.#cut.up = true;
    if (direction !== 'up') this.#cut.down = true;
  }

  /** Each way takes this long. */
  delay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Ends cuts and delays. With `drop` the connections whose bytes were held are reset, else these are delivered. */
  heal(drop: boolean): void {
    Object.assign(this.#cut, { up: false, down: false });
    this.#delayMs = 0;
    for (const connection of this.#connections) {
      const holds = connection.flows.some((flow) => flow.isHolding);
      if (drop && holds) reset(connection);
      else for (const flow of connection.flows) flow.release();
    }
  }

  /** New connections go to another port; those that stand are reset, as when an address moves to another machine. */
  retarget(target: number): void {
    this.#target = target;
    for (const connection of this.#connections) reset(connection);
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.#listener.close(done));
    for (const connection of this.#connections) reset(connection);
    await closed;
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    client.setNoDelay(true);
    server.setNoDelay(true);
    const delayMs = (): number => this.#delayMs;
    const flows = [
      new Flow(client, server, { isCut: () => this.#cut.up, delayMs }),
      new Flow(server, client, { isCut: () => this.#cut.down, delayMs }),
    ];
    const connection = { client, server, flows };
    this.#connections.add(connection);
    const forget = (): void => {
      if (client.destroyed && server.destroyed) this.#connections.delete(connection);
    };
    client.on('close', forget);
    server.on('close', forget);
  }
}

function reset({ client, server }: Connection): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}
