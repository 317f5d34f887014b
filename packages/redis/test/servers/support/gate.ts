import { connect, createServer, type Server, type Socket } from 'node:net';

/** A port in front of a server that lets every connection come so far: it passes on so many commands, and holds the rest. */
export class Gate {
  readonly #listener: Server;
  readonly #open = new Set<Socket>();
  readonly #changed = new Set<() => void>();
  #held = 0;
  /** For connections that are accepted from now on; Infinity: all pass. */
  commands: number = Number.POSITIVE_INFINITY;

  private constructor(targetPort: number) {
    this.#listener = createServer((client) => this.#join(client, targetPort));
  }

  static async start(targetPort: number): Promise<Gate> {
    const gate = new Gate(targetPort);
    await new Promise<void>((done, fail) => {
      gate.#listener.once('error', fail);
      gate.#listener.listen(0, '127.0.0.1', done);
    });
    return gate;
  }

  get port(): number {
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('the gate is closed');
    return address.port;
  }

  /** Resolves when something is held of a connection that was accepted after `commands` was set. */
  holds(): Promise<void> {
    return this.#until(() => this.#held > 0);
  }

  /** Resolves when no client is connected any more, nor about to be: connections are accepted in their order. */
  async left(): Promise<void> {
    const last = connect(this.port, '127.0.0.1');
    await new Promise((done) => last.once('connect', done));
    await this.#until(() => [...this.#open].some((each) => each.remotePort === last.localPort));
    last.destroy();
    await this.#until(() => this.#open.size === 0);
  }

  async close(): Promise<void> {
    for (const client of this.#open) client.destroy();
    await new Promise((done) => this.#listener.close(done));
  }

  #join(client: Socket, targetPort: number): void {
    const server = connect(targetPort, '127.0.0.1');
    let passes = this.commands;
    this.#held = 0;
    this.#open.add(client);
    server.pipe(client);
    client.on('data', (bytes) => {
      for (const command of commandsIn(bytes)) {
        if (passes-- > 0) server.write(command);
        else this.#held += 1;
      }
      this.#tell();
    });
    client.on('error', () => undefined);
    server.on('error', () => undefined);
    client.on('close', () => {
      this.#open.delete(client);
      server.destroy();
      this.#tell();
    });
    this.#tell();
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((done) => {
      const look = (): void => {
        if (!isSo()) return;
        this.#changed.delete(look);
        done();
      };
      this.#changed.add(look);
      look();
    });
  }

  #tell(): void {
    for (const look of this.#changed) look();
  }
}

/** The commands of one piece of what a client sent, which ends with a whole one; what is no command is one piece. */
function commandsIn(bytes: Buffer): readonly string[] {
  const text = bytes.toString('latin1');
  const commands: string[] = [];
  let at = 0;
  while (at < text.length) {
    const from = at;
    const count = numberAfter(text, at, '*');
    if (count === undefined) return [...commands, text.slice(from)];
    at = text.indexOf('\n', at) + 1;
    for (let left = count; left > 0; left--) {
      const length = numberAfter(text, at, '$') ?? 0;
      at = text.indexOf('\n', at) + 1 + length + 2;
    }
    commands.push(text.slice(from, at));
  }
  return commands;
}

function numberAfter(text: string, at: number, mark: string): number | undefined {
  return text[at] === mark ? Number(text.slice(at + 1, text.indexOf('\r', at))) : undefined;
}
