import { connect, createServer, type Server, type Socket } from 'node:net';
import { Flow } from './flow.ts';
import type { Target } from './orders.ts';

/** Which bytes: from clients to the server, back, or both. */
export type Direction = 'up' | 'down' | 'both';

/** Not all connections: those that stand, or those of them on which somebody has subscribed. */
export type Only = 'standing' | 'subscribed';

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly up: Flow;
  readonly down: Flow;
}

/** A way on loopback to one server, which can be cut, delayed, reset, and turned to another server. */
export class Proxy {
  readonly #listener: Server;
  readonly #connections = new Set<Connection>();
  readonly #cut = { up: false, down: false };
  #target: Target;
  #delayMs = 0;

  private constructor(target: Target) {
    this.#target = target;
    this.#listener = createServer((client) => this.#join(client));
  }

  static async start(target: Target): Promise<Proxy> {
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

  /**
   * Holds bytes; sockets stay open, and new connections are accepted but silent, as behind a firewall that drops. With
   * `only` new connections pass.
   */
  cut(direction: Direction, only?: Only): void {
    const ways = direction === 'both' ? (['up', 'down'] as const) : [direction];
    for (const way of ways)
      if (only === undefined) this.#cut[way] = true;
      else for (const connection of this.#chosen(only)) connection[way].isCut = true;
  }

  /** Each way takes this long. */
  delay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Of each connection that stands what comes next from the server is lost, when so much has passed, and the connection is reset. */
  loseReplies(passes = 0): void {
    for (const { down } of this.#connections) down.passesBeforeLoss = passes;
  }

  /** Ends cuts and delays. With `drop` the connections whose bytes were held are reset, else these are delivered. */
  heal(drop: boolean): void {
    Object.assign(this.#cut, { up: false, down: false });
    this.#delayMs = 0;
    for (const connection of this.#connections) {
      const flows = [connection.up, connection.down];
      for (const flow of flows) flow.passesBeforeLoss = undefined;
      if (drop && flows.some((flow) => flow.isHolding)) reset(connection);
      else for (const flow of flows) flow.release();
    }
  }

  /** New connections go to another server; those that stand are reset, as when an address moves to another machine. */
  retarget(target: Target): void {
    this.#target = target;
    for (const connection of this.#connections) reset(connection);
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.#listener.close(done));
    for (const connection of this.#connections) reset(connection);
    await closed;
  }

  #chosen(only: Only): readonly Connection[] {
    const standing = [...this.#connections];
    return only === 'standing' ? standing : standing.filter(({ up }) => up.hasSubscribed);
  }

  #join(client: Socket): void {
    const { host, port } = this.#target;
    const server = connect(port, host);
    client.setNoDelay(true);
    server.setNoDelay(true);
    const delayMs = (): number => this.#delayMs;
    const lost = (): void => reset({ client, server });
    const connection: Connection = {
      client,
      server,
      up: new Flow(client, server, { isCut: () => this.#cut.up, delayMs, lost }),
      down: new Flow(server, client, { isCut: () => this.#cut.down, delayMs, lost }),
    };
    this.#connections.add(connection);
    const forget = (): void => {
      if (client.destroyed && server.destroyed) this.#connections.delete(connection);
    };
    client.on('close', forget);
    server.on('close', forget);
  }
}

function reset({ client, server }: Pick<Connection, 'client' | 'server'>): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}
