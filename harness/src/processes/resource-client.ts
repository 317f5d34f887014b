import { connect, type Socket } from 'node:net';
import type { Reading } from './counter.ts';
import { type FromResource, onLines, sendLine, type ToResource } from './resource-protocol.ts';

/** Bare `Omit` would merge the kinds of request into one. */
type Without<R, K extends PropertyKey> = R extends unknown ? Omit<R, K> : never;

/** A connection to the resource process, on which every line is a request or its reply. */
export class ResourceClient {
  readonly #socket: Socket;
  readonly #pending = new Map<number, (reading: Reading | null) => void>();
  #requests = 0;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    // Without a resource nothing can be judged; its owner reports that and ends this process.
    this.#socket.on('error', () => undefined);
    onLines(this.#socket, (line) => this.#settle(JSON.parse(line)));
  }

  request(request: Without<ToResource, 'id'>): Promise<Reading | null> {
    const id = ++this.#requests;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      sendLine(this.#socket, { ...request, id });
    });
  }

  #settle({ id, reading }: FromResource): void {
    this.#pending.get(id)?.(reading);
    this.#pending.delete(id);
  }
}
