import { connect, createServer, type Server, type Socket } from 'node:net';

/** Which bytes: from clients to the server, back, or both. */
export type Direction = 'up' | 'down' | 'both';

type Way = 'up' | 'down';

/** One direction of one connection: bytes in order, held while it is cut. An end waits behind held bytes. */
class Flow {
  readonly #to: Socket;
  readonly #delayMs: () => number;
  isCut: boolean;
  #held: (Buffer | 'end')[] = [];
  readonly #delayed: (Buffer | 'end')[] = [];
  #due = 0;

  constructor(from: Socket, to: Socket, isCut: boolean, delayMs: () => number) {
    this.#to = to;
    this.isCut = isCut;
    this.#delayMs = delayMs;
    from.on('data', (bytes) => this.#accept(bytes));
    from.on('error', () => undefined);
    from.on('close', () => this.#accept('end'));
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  get heldBytes(): number {
    return this.#held.reduce((sum, item) => sum + (item === 'end' ? 0 : item.length), 0);
  }

  heal(): void {
    this.isCut = false;
    const held = this.#held;
    this.#held = [];
    for (const item of held) this.#pass(item);
  }

  #accept(item: Buffer | 'end'): void {
    const delayMs = this.#delayMs();
    const now = performance.now();
    if (delayMs === 0 && this.#delayed.length === 0) return this.#arrive(item);
    // Never earlier than what was accepted before, so that a shrinking delay does not reorder.
    this.#due = Math.max(this.#due, now + delayMs);
    this.#delayed.push(item);
    setTimeout(() => this.#arriveNext(), this.#due - now);
  }

  /** Timers of different lengths that end within one millisecond fire in any order: each lets the first item through. */
  #arriveNext(): void {
    const item = this.#delayed.shift();
    if (item !== undefined) this.#arrive(item);
  }

  #arrive(item: Buffer | 'end'): void {
    if (this.isCut || this.isHolding) this.#held.push(item);
    else this.#pass(item);
  }

  #pass(item: Buffer | 'end'): void {
    if (item === 'end') this.#to.end();
    else if (!this.#to.destroyed) this.#to.write(item);
  }
}

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly up: Flow;
  readonly down: Flow;
}

/** Is given both ends of every connection, to listen on them. */
export type Tap = (client: Socket, server: Socket) => void;

/** A TCP proxy on loopback in front of one port, to lose replies, delay, cut and reset connections. */
export class Proxy {
  readonly #listener: Server;
  readonly #connections = new Set<Connection>();
  readonly #cut: Record<Way, boolean> = { up: false, down: false };
  readonly #delayMs: Record<Way, number> = { up: 0, down: 0 };
  #targetPort: number;
  /** Connections accepted since the start. */
  accepted = 0;

  private constructor(targetPort: number, tap: Tap) {
    this.#targetPort = targetPort;
    this.#listener = createServer((client) => {
      const server = connect(this.#targetPort, '127.0.0.1');
      tap(client, server);
      this.#join(client, server);
    });
  }

  static async start(targetPort: number, tap: Tap = () => undefined): Promise<Proxy> {
    const proxy = new Proxy(targetPort, tap);
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

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /**
   * Holds bytes; sockets stay open, and new connections are accepted but silent. With `only: 'existing'` new
   * connections pass, as when a route was lost that newer packets do not take.
   */
  cut(direction: Direction = 'both', { only }: { readonly only?: 'existing' } = {}): void {
    const ways: readonly Way[] = direction === 'both' ? ['up', 'down'] : [direction];
    for (const way of ways) {
      if (only === undefined) this.#cut[way] = true;
      for (const connection of this.#connections) connection[way].isCut = true;
    }
  }

  /** New connections lead to another port, and those that there are end: as when an address is given to another container. */
  pointAt(targetPort: number): void {
    this.#targetPort = targetPort;
    this.reset();
  }

  delay(delayMs: { readonly up?: number; readonly down?: number }): void {
    Object.assign(this.#delayMs, delayMs);
  }

  /** RST to the clients, to the server, or to both. With only the client reset, bytes held for the server may still arrive. */
  reset(side: 'client' | 'server' | 'both' = 'both'): void {
    for (const { client, server } of this.#connections) {
      if (side !== 'server') client.resetAndDestroy();
      if (side !== 'client') server.resetAndDestroy();
    }
  }

  /** Bytes that cuts hold at the moment, in both directions. */
  get heldBytes(): number {
    return [...this.#connections].reduce(
      (sum, { up, down }) => sum + up.heldBytes + down.heldBytes,
      0,
    );
  }

  /** Ends cuts and delays. Held bytes are delivered, or, with `drop`, their connections reset. */
  heal({ drop = false }: { readonly drop?: boolean } = {}): void {
    Object.assign(this.#cut, { up: false, down: false });
    Object.assign(this.#delayMs, { up: 0, down: 0 });
    for (const { client, server, up, down } of this.#connections) {
      if (drop && (up.isHolding || down.isHolding)) {
        client.resetAndDestroy();
        server.resetAndDestroy();
      } else {
        up.heal();
        down.heal();
      }
    }
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.#listener.close(done));
    for (const { client, server } of this.#connections) {
      client.destroy();
      server.destroy();
    }
    await closed;
  }

  #join(client: Socket, server: Socket): void {
    this.accepted++;
    client.setNoDelay(true);
    server.setNoDelay(true);
    const connection: Connection = {
      client,
      server,
      up: new Flow(client, server, this.#cut.up, () => this.#delayMs.up),
      down: new Flow(server, client, this.#cut.down, () => this.#delayMs.down),
    };
    this.#connections.add(connection);
    const forget = (): void => {
      if (client.destroyed && server.destroyed) this.#connections.delete(connection);
    };
    client.on('close', forget);
    server.on('close', forget);
  }
}
