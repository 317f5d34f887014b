import type { EngineReply } from '@holdfast/harness/simulator';

const CRLF = '\r\n';
const LF = 10;

/** Takes in what a client writes, in whatever pieces, and gives out whole commands. */
export class Requests {
  #rest: Buffer = Buffer.alloc(0);

  *take(chunk: Buffer): Generator<readonly string[]> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const read = readCommand(this.#rest);
      if (read === undefined) return;
      this.#rest = this.#rest.subarray(read.end);
      yield read.args;
    }
  }
}

/** An array of bulk strings; undefined where it is not all there yet. */
function readCommand(bytes: Buffer): { args: readonly string[]; end: number } | undefined {
  const head = readLine(bytes, 0);
  if (head === undefined) return undefined;
  let at = head.end;
  const args: string[] = [];
  for (let left = Number(head.text.slice(1)); left > 0; left--) {
    const size = readLine(bytes, at);
    if (size === undefined) return undefined;
    const end = size.end + Number(size.text.slice(1));
    if (bytes.length < end + CRLF.length) return undefined;
    args.push(bytes.toString('utf8', size.end, end));
    at = end + CRLF.length;
  }
  return { args, end: at };
}

function readLine(bytes: Buffer, from: number): { text: string; end: number } | undefined {
  const lf = bytes.indexOf(LF, from);
  if (lf < 0) return undefined;
  return { text: bytes.toString('latin1', from, lf - 1), end: lf + 1 };
}

/** A reply on the wire. Statuses are sent as bulk strings: clients see no difference. */
export function replyBytes(reply: EngineReply, protocol: 2 | 3): string {
  if (reply === null) return protocol === 3 ? `_${CRLF}` : `$-1${CRLF}`;
  if (typeof reply === 'number') return `:${reply}${CRLF}`;
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}${CRLF}${reply}${CRLF}`;
  if ('error' in reply) return `-${reply.error}${CRLF}`;
  return listBytes('*', reply, protocol);
}

/** A push message, which is a plain array in RESP2. */
export function pushBytes(items: readonly EngineReply[], protocol: 2 | 3): string {
  return listBytes(protocol === 3 ? '>' : '*', items, protocol);
}

/** Pairs of names and values, which RESP2 has as a plain array. */
export function mapBytes(items: readonly EngineReply[], protocol: 2 | 3): string {
  if (protocol === 2) return listBytes('*', items, protocol);
  const pairs = items.map((item) => replyBytes(item, protocol)).join('');
  return `%${items.length / 2}${CRLF}${pairs}`;
}

function listBytes(kind: '*' | '>', items: readonly EngineReply[], protocol: 2 | 3): string {
  return `${kind}${items.length}${CRLF}${items.map((item) => replyBytes(item, protocol)).join('')}`;
}
