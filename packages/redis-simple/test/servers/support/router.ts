import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Leg {
  readonly client: Socket;
  readonly upstream: Socket;
}

/**
 * A fixed address whose new connections lead to one port or another. A client that is disconnected here leaves its
 * upstream open until everything it wrote has got through: what a connection has in flight may arrive after its end.
 */
export class Router {
  readonly #listener: Server;
  readonly #legs = new Set<Leg>();
  /** The port to which new connections lead. */
  via: number;
  /** Everything that clients have sent so far. */
  sent = '';

  private constructor(via: number) {
    this.via = via;
    this.#listener = createServer((client) => this.#join(client, connect(this.via, '127.0.0.1')));
  }

  static async start(via: number): Promise<Router> {
    const router = new Router(via);
    router.#listener.listen(0, '127.0.0.1');
    await once(router.#listener, 'listening');
    return router;
  }

  get url(): string {
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('the router is closed');
    return `redis://127.0.0.1:${address.port}`;
  }

  /** Ends every connection as the client sees it. Returns a wait until the server has ended them too. */
  disconnect(): { serverEnded: Promise<unknown> } {
    const legs = [...this.#legs];
    const serverEnded = Promise.all(
      legs.map(({ upstream }) => (upstream.closed ? Promise.resolve() : once(upstream, 'close'))),
    );
    for (const { client } of legs) client.resetAndDestroy();
    return { serverEnded };
  }

  async close(): Promise<void> {
    this.#listener.close();
    for (const { client, upstream } of this.#legs) {
      client.destroy();
      upstream.destroy();
    }
    await once(this.#listener, 'close');
  }

  #join(client: Socket, upstream: Socket): void {
    const leg = { client, upstream };
    this.#legs.add(leg);
    client.on('data', (bytes) => {
      this.sent += bytes.toString('latin1');
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => client.destroyed || client.write(bytes));
    client.on('close', () => upstream.end());
    upstream.on('close', () => {
      this.#legs.delete(leg);
      client.destroy();
    });
    client.on('error', () => undefined);
    upstream.on('error', () => undefined);
  }
}
