import { connect, type Socket } from 'node:net';
import type { EngineReply } from '@holdfast/harness/simulator';

/** One connection to a real server, speaking RESP2 by itself: client libraries would throw errors and shape replies. */
export class Wire {
  readonly #socket: Socket;
  readonly #waiting: {
    count: number;
    done: (replies: EngineReply[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  #replies: EngineReply[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('close', () => {
      for (const { fail } of this.#waiting.splice(0)) fail(new Error('the server hung up'));
    });
    socket.on('error', () => {});
  }

  static connect(port: number): Promise<Wire> {
    return new Promise((done, fail) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', fail);
      socket.once('connect', () => done(new Wire(socket)));
    });
  }

  /** Sends all commands at once; the replies come in their order, errors as values. */
  ask(commands: readonly (readonly string[])[]): Promise<EngineReply[]> {
    return new Promise((done, fail) => {
      this.#waiting.push({ count: commands.length, done, fail });
      this.#socket.write(commands.map(encoded).join(''));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    let at = 0;
    for (;;) {
      const parsed = parse(this.#bytes, at);
      if (parsed === undefined) break;
      [, at] = parsed;
      this.#replies.push(parsed[0]);
    }
    this.#bytes = this.#bytes.subarray(at);
    this.#settle();
  }

  #settle(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#replies.length < first.count) return;
      this.#waiting.shift();
      first.done(this.#replies.splice(0, first.count));
    }
  }
}

function encoded(args: readonly string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join('')}`;
}

type Parsed = readonly [reply: EngineReply, next: number];

/** The reply that starts at `at`, and where it ends; undefined when not all of it has come yet. */
function parse(bytes: Buffer, at: number): Parsed | undefined {
  const end = bytes.indexOf('\r\n', at);
  if (end < 0) return undefined;
  const line = bytes.toString('utf8', at + 1, end);
  switch (bytes.toString('latin1', at, at + 1)) {
    case '+':
      return [line, end + 2];
    case '-':
      return [{ error: line }, end + 2];
    case ':':
      return [Number(line), end + 2];
    case '$':
      return bulk(bytes, end + 2, Number(line));
    case '*':
      return array(bytes, end + 2, Number(line));
    default:
      throw new Error(`not RESP2: ${line}`);
  }
}

function bulk(bytes: Buffer, at: number, length: number): Parsed | undefined {
  if (length < 0) return [null, at];
  if (bytes.length < at + length + 2) return undefined;
  return [bytes.toString('utf8', at, at + length), at + length + 2];
}

function array(bytes: Buffer, from: number, length: number): Parsed | undefined {
  if (length < 0) return [null, from];
  const items: EngineReply[] = [];
  let at = from;
  for (let count = 0; count < length; count++) {
    const item = parse(bytes, at);
    if (item === undefined) return undefined;
    items.push(item[0]);
    [, at] = item;
  }
  return [items, at];
}
