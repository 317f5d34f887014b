import type { Reply } from '../../port.ts';

/** The line with which a server refuses a command, without its minus sign. */
export class ErrorLine {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What was read: a reply, or an error line; undefined if the rest of it has not arrived. */
export type Received = Reply | ErrorLine | undefined;

const END = '\r\n';
const TYPES = '$:+-*';
const BEYOND_ASCII = /[^\0-\x7f]/;

interface OpenList {
  readonly items: Reply[];
  readonly length: number;
}

/** Not yet known: the rest has not arrived. */
const PARTIAL = Symbol('partial');

/**
 * Reads replies of RESP2 (https://redis.io/docs/latest/develop/reference/protocol-spec/) from bytes that arrive cut anywhere.
 * It keeps them as a string of one character a byte, whose parts V8 makes without copying, and reads none of them twice but
 * the last line.
 */
export class ReplyReader {
  #bytes = '';
  #at = 0;
  /** Length of `#bytes` at which the bulk string at `#at` is complete. */
  #complete = 0;
  /** Lists of which more is to come, the innermost last. */
  readonly #open: OpenList[] = [];

  /** Adds bytes, decoded as latin1. */
  add(bytes: string): void {
    this.#complete -= this.#at;
    this.#bytes = this.#at === this.#bytes.length ? bytes : this.#bytes.slice(this.#at) + bytes;
    this.#at = 0;
  }

  /** Returns the next reply. @throws Error for bytes that are no RESP2 */
  next(): Received {
    while (this.#at < this.#bytes.length && this.#bytes.length >= this.#complete) {
      const from = this.#at;
      const item = this.#read();
      if (item === PARTIAL) {
        this.#at = from;
        return undefined;
      }
      const reply = item === undefined ? undefined : this.#withinLists(item);
      if (reply !== undefined) return reply;
    }
    return undefined;
  }

  /** Reads a reply that is no list, or the head of a list: undefined then. */
  #read(): Received | typeof PARTIAL {
    const from = this.#at;
    // First of all: what speaks another protocol may never end its line.
    if (!TYPES.includes(this.#bytes.charAt(from))) throw noProtocol();
    const end = this.#bytes.indexOf(END, from);
    if (end < 0) return PARTIAL;
    const line = this.#bytes.slice(from + 1, end);
    this.#at = end + END.length;
    switch (this.#bytes.charAt(from)) {
      case '$':
        return this.#readBulk(wholeNumber(line));
      case ':':
        return wholeNumber(line);
      case '+':
        return decoded(line);
      case '-':
        return new ErrorLine(decoded(line));
      default:
        return this.#beginList(wholeNumber(line));
    }
  }

  #readBulk(length: number): Reply | typeof PARTIAL {
    if (length < 0) return null;
    const from = this.#at;
    const end = from + length;
    this.#complete = end + END.length;
    if (this.#bytes.length < this.#complete) return PARTIAL;
    this.#at = this.#complete;
    return decoded(this.#bytes.slice(from, end));
  }

  #beginList(length: number): Reply | undefined {
    if (length < 0) return null;
    if (length === 0) return [];
    this.#open.push({ items: [], length });
    return undefined;
  }

  /** Returns the outermost reply that this one completes; undefined if a list waits for more. */
  #withinLists(item: Reply | ErrorLine): Received {
    let reply = item;
    for (let list = this.#open.at(-1); list !== undefined; list = this.#open.at(-1)) {
      list.items.push(reply instanceof ErrorLine ? `-${reply.text}` : reply);
      if (list.items.length < list.length) return undefined;
      this.#open.pop();
      reply = list.items;
    }
    return reply;
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (text !== '' && Number.isInteger(value)) return value;
  throw noProtocol();
}

function decoded(bytes: string): string {
  return BEYOND_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}

function noProtocol(): Error {
  return new Error('the server does not speak the Redis protocol');
}
