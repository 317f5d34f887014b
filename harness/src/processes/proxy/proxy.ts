import { connect, createServer, type Server, type Socket } from 'node:net';
import { Flow } from './flow.ts';

/** The address of a server. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** Bytes from clients to the server, back, or both. */
export type Direction = 'up' | 'down' | 'both';

/** Limits a cut to open connections, or to those that have subscribed. */
export type CutScope = 'open' | 'subscribed';

/** Delay of each direction, in ms. */
export interface Delays {
  readonly up?: number;
  readonly down?: number;
}

/** Gets both ends of every connection, to listen on them. */
export type Tap = (client: Socket, server: Socket) => void;

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly up: Flow;
  readonly down: Flow;
}

/** A proxy on loopback to one server. It can be cut, delayed, reset, and turned to another server. */
export class Proxy {
  /** Connections since the start. */
  accepted = 0;
  readonly #listener: Server;
  readonly #connections = new Set<Connection>();
  readonly #cut = { up: false, down: false };
  readonly #delayMs = { up: 0, down: 0 };
  #target: ProxyTarget;

  private constructor(target: ProxyTarget, tap: Tap) {
    this.#target = target;
    this.#listener = createServer((client) => this.#join(client, tap));
  }

  /** In front of a server, or of a port on loopback. */
  static async start(target: ProxyTarget | number, tap: Tap = () => undefined): Promise<Proxy> {
    const proxy = new Proxy(targetOf(target), tap);
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

  /** For a Redis behind it. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Bytes that cuts hold now, in both directions. */
  get heldBytes(): number {
    return this.#flows.reduce((sum, flow) => sum + flow.heldBytes, 0);
  }

  /**
   * Holds bytes. Sockets stay open, and new connections are accepted but silent, as behind a firewall that drops
   * packets. With `only`, new connections pass, as when a route is lost that newer packets do not use.
   */
  cut(direction: Direction = 'both', only?: CutScope): void {
    const ways = direction === 'both' ? (['up', 'down'] as const) : [direction];
    for (const way of ways)
      if (only === undefined) this.#cut[way] = true;
      else for (const connection of this.#chosen(only)) connection[way].isCut = true;
  }

  delay(delays: Delays): void {
    Object.assign(this.#delayMs, delays);
  }

  /** Loses the server's next bytes on each open connection, after `passes` others, and resets the connection. */
  loseReplies(passes = 0): void {
    for (const { down } of this.#connections) down.passesBeforeLoss = passes;
  }

  /** Ends cuts and delays. With `drop`, connections with held bytes are reset; otherwise the bytes are delivered. */
  heal({ drop = false }: { readonly drop?: boolean | undefined } = {}): void {
    Object.assign(this.#cut, { up: false, down: false });
    Object.assign(this.#delayMs, { up: 0, down: 0 });
    for (const connection of this.#connections) {
      const flows = [connection.up, connection.down];
      for (const flow of flows) flow.passesBeforeLoss = undefined;
      if (drop && flows.some((flow) => flow.isHolding)) reset(connection);
      else for (const flow of flows) flow.release();
    }
  }

  /** Leads new connections to another server and resets open ones, as when an address moves to another machine. */
  retarget(target: ProxyTarget | number): void {
    this.#target = targetOf(target);
    this.reset();
  }

  /**
   * Sends RST to the clients, to the server, or to both. If only the client is reset, bytes held for the server may
   * still arrive.
   */
  reset(side: 'client' | 'server' | 'both' = 'both'): void {
    for (const connection of this.#connections) reset(connection, side);
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.#listener.close(done));
    // Not by a reset, which waits for bytes written before it: nothing may remain of the connections.
    for (const { client, server } of this.#connections) {
      client.destroy();
      server.destroy();
    }
    await closed;
  }

  get #flows(): readonly Flow[] {
    return [...this.#connections].flatMap(({ up, down }) => [up, down]);
  }

  #chosen(only: CutScope): readonly Connection[] {
    const all = [...this.#connections];
    return only === 'open' ? all : all.filter(({ up }) => up.hasSubscribed);
  }

  #join(client: Socket, tap: Tap): void {
    const { host, port } = this.#target;
    const server = connect(port, host);
    this.accepted++;
    tap(client, server);
    client.setNoDelay(true);
    server.setNoDelay(true);
    const connection: Connection = {
      client,
      server,
      up: this.#flow('up', client, server),
      down: this.#flow('down', server, client),
    };
    this.#connections.add(connection);
    const forget = (): void => {
      if (client.destroyed && server.destroyed) this.#connections.delete(connection);
    };
    client.on('close', forget);
    server.on('close', forget);
  }

  #flow(way: 'up' | 'down', from: Socket, to: Socket): Flow {
    return new Flow(from, to, {
      isCut: () => this.#cut[way],
      delayMs: () => this.#delayMs[way],
      lost: () => reset({ client: from, server: to }),
    });
  }
}

export function targetOf(target: ProxyTarget | number): ProxyTarget {
  return typeof target === 'number' ? { host: '127.0.0.1', port: target } : target;
}

function reset(
  { client, server }: Pick<Connection, 'client' | 'server'>,
  side: 'client' | 'server' | 'both' = 'both',
): void {
  if (side !== 'server') client.resetAndDestroy();
  if (side !== 'client') server.resetAndDestroy();
}
