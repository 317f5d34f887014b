import { createServer, type Server, type Socket } from 'node:net';

/** Long enough for a client to have done whatever it does not wait for. */
const LATE_MS = 100;
const COMMAND = /\*\d+\r\n\$\d+\r\n(\w+)\r\n/g;

/** A server that describes itself and lets its user do all that locks need, for tests that open a URL. */
export class TinyServer {
  /** The commands that it received, as they were spelled. */
  readonly heard: string[] = [];
  /** All that it received, as it came. */
  received = '';
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #role: string;
  /** The number of late replies so far. */
  late = 0;

  private constructor(role: string) {
    this.#role = role;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** With the role `stranger` it requires a log-in: refuses HELLO at once, and replies late to INFO. */
  static async start(role: 'master' | 'slave' | 'stranger' = 'master'): Promise<TinyServer> {
    const tiny = new TinyServer(role);
    await new Promise<void>((done) => tiny.#server.listen(0, '127.0.0.1', done));
    return tiny;
  }

  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return `redis://user:secret@127.0.0.1:${port}`;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves when the last connection has ended. */
  async left(): Promise<void> {
    const ends = Array.from(
      this.#sockets,
      (socket) => new Promise((end) => socket.once('close', end)),
    );
    await Promise.all(ends);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.received += text;
      for (const [, command = ''] of text.matchAll(COMMAND)) {
        this.heard.push(command);
        const answer = this.#answer(command.toUpperCase());
        if (command === 'INFO' && this.#role === 'stranger') this.#answerLate(socket, answer);
        else socket.write(answer);
      }
    });
  }

  #answerLate(socket: Socket, answer: string): void {
    setTimeout(() => {
      this.late += 1;
      socket.write(answer);
    }, LATE_MS);
  }

  #answer(command: string): string {
    if (command === 'AUTH') return '+OK\r\n';
    if (command === 'HELLO' && this.#role === 'stranger')
      return '-NOAUTH Authentication required.\r\n';
    if (command === 'EVAL') return '*0\r\n';
    if (command === 'GET' || command === 'GETSET') return '$-1\r\n';
    if (command === 'DEL' || command === 'SETNX') return ':1\r\n';
    if (command === 'EVALSHA') return '-NOSCRIPT No matching script.\r\n';
    if (command !== 'INFO') return '-ERR unknown command\r\n';
    const info = `redis_version:7.4.0\r\nrole:${this.#role}\r\nrun_id:${this.url}\r\nmaxmemory_policy:noeviction`;
    return `$${info.length}\r\n${info}\r\n`;
  }
}
