import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

interface Request {
  readonly id: number;
  readonly kind: 'read' | 'write';
  readonly client: string;
  readonly hold: string;
  readonly plain?: number;
}

/** One number that all clients count up, as the resource of docs/testing/external.md. */
export class Counter {
  /** Updates that were lost: two holds read one value, and both wrote. */
  readonly lost: string[] = [];
  writes = 0;
  #value = 0;
  #writer = 'nobody';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<Counter> {
    const counter = new Counter();
    await new Promise<void>((done) => counter.#server.listen(0, '127.0.0.1', done));
    return counter;
  }

  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    return `127.0.0.1:${address.port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket.setNoDelay());
    socket.once('close', () => this.#sockets.delete(socket));
    const lines = createInterface({ input: socket });
    // A client that is killed may reset its connection; the interface repeats the error.
    for (const emitter of [socket, lines]) emitter.on('error', () => undefined);
    lines.on('line', (line) => {
      const request = JSON.parse(line) as Request;
      if (request.kind === 'write') this.#write(request);
      const reading = request.kind === 'read' ? { plain: this.#value, fenced: null } : null;
      socket.write(`${JSON.stringify({ id: request.id, reading })}\n`);
    });
  }

  #write({ client, hold, plain = 0 }: Request): void {
    this.writes += 1;
    if (plain !== this.#value + 1)
      this.lost.push(`${client} wrote ${plain} over ${this.#value} of ${this.#writer} (${hold})`);
    this.#value = plain;
    this.#writer = client;
  }
}
