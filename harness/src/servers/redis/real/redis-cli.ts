import { connect, type Socket } from 'node:net';

/** A reply: text, or a list of them; null for nil. */
export type CliReply = string | null | readonly CliReply[];

interface Waiting {
  readonly resolve: (reply: CliReply) => void;
  readonly reject: (error: Error) => void;
}

/** Sends commands to a server on loopback, one connection for all: what starters need, without a client library. */
export class RedisCli {
  readonly #port: number;
  readonly #password: string | undefined;
  #socket: Socket | undefined;
  #waiting: Waiting[] = [];
  #received = Buffer.alloc(0);

  constructor(port: number, password?: string) {
    this.#port = port;
    this.#password = password;
  }

  /** Returns the reply; rejects for an error reply, and if the connection is lost. */
  async ask(args: readonly string[]): Promise<CliReply> {
    const socket = this.#socket ?? this.#connect();
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      socket.write(encode(args));
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    this.#socket = socket;
    socket.on('data', (bytes) => this.#onData(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#lost(socket));
    if (this.#password !== undefined) {
      this.#waiting.push({ resolve: () => undefined, reject: () => undefined });
      socket.write(encode(['AUTH', this.#password]));
    }
    return socket;
  }

  #lost(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#received = Buffer.alloc(0);
    const error = new Error(`the connection to port ${this.#port} was lost`);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #onData(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let parsed = parse(this.#received, 0); parsed !== undefined; ) {
      this.#received = this.#received.subarray(parsed.end);
      const waiting = this.#waiting.shift();
      if (parsed.reply instanceof Error) waiting?.reject(parsed.reply);
      else waiting?.resolve(parsed.reply);
      parsed = parse(this.#received, 0);
    }
  }
}

function encode(args: readonly string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join('')}`;
}

interface Parsed {
  readonly reply: CliReply | Error;
  readonly end: number;
}

/** Reads one reply from `at`; undefined if it is not complete yet. */
function parse(bytes: Buffer, at: number): Parsed | undefined {
  const lineEnd = bytes.indexOf('\r\n', at);
  if (lineEnd < 0) return undefined;
  const kind = String.fromCodePoint(bytes[at] ?? 0);
  const text = bytes.toString('utf8', at + 1, lineEnd);
  const end = lineEnd + 2;
  if (kind === '-') return { reply: new Error(text), end };
  if (kind === '$') return parseBulk(bytes, Number(text), end);
  if (kind === '*') return parseList(bytes, Number(text), end);
  return { reply: text, end };
}

function parseBulk(bytes: Buffer, length: number, at: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: at };
  const end = at + length + 2;
  return bytes.length < end ? undefined : { reply: bytes.toString('utf8', at, end - 2), end };
}

function parseList(bytes: Buffer, length: number, at: number): Parsed | undefined {
  const replies: CliReply[] = [];
  let end = at;
  for (let left = length; left > 0; left--) {
    const parsed = parse(bytes, end);
    if (parsed === undefined) return undefined;
    // An error within a list is text.
    replies.push(parsed.reply instanceof Error ? parsed.reply.message : parsed.reply);
    end = parsed.end;
  }
  return { reply: length < 0 ? null : replies, end };
}
