import { connect, type Socket } from 'node:net';
import type { FromResource, Reading, ToResource } from './messages.ts';

/** Bare `Omit` would merge the kinds of request into one. */
type Without<R, K extends PropertyKey> = R extends unknown ? Omit<R, K> : never;

/** A connection to the resource process, on which every line is a request or its answer. */
export class ResourceClient {
  readonly #socket: Socket;
  readonly #open = new Map<number, (reading: Reading | null) => void>();
  #requests = 0;
  #rest = '';

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true).setEncoding('utf8');
    // Without a resource there is no laboratory, which says so and ends us.
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk: string) => this.#hear(chunk));
  }

  ask(request: Without<ToResource, 'id'>): Promise<Reading | null> {
    const id = ++this.#requests;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      this.#socket.write(`${JSON.stringify({ ...request, id })}\n`);
    });
  }

  #hear(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#answered(JSON.parse(line));
  }

  #answered({ id, reading }: FromResource): void {
    this.#open.get(id)?.(reading);
    this.#open.delete(id);
  }
}
