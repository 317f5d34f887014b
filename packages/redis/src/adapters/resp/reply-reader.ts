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

/**
 * Reads replies of RESP2 (https://redis.io/docs/latest/develop/reference/protocol-spec/) from bytes that arrive cut anywhere.
 * It keeps them as a string of one character a byte, whose parts V8 makes without copying.
 */
export class ReplyReader {
  #bytes = '';
  #at = 0;

  /** Adds bytes, decoded as latin1. */
  add(bytes: string): void {
    this.#bytes = this.#at === this.#bytes.length ? bytes : this.#bytes.slice(this.#at) + bytes;
    this.#at = 0;
  }

  /** Returns the next reply. @throws Error for bytes that are no RESP2 */
  next(): Received {
    const from = this.#at;
    const received = from === this.#bytes.length ? undefined : this.#read();
    if (received === undefined) this.#at = from;
    return received;
  }

  #read(): Received {
    const from = this.#at;
    // First of all: what speaks another protocol may never end its line.
    if (!TYPES.includes(this.#bytes.charAt(from))) throw noProtocol();
    const end = this.#bytes.indexOf(END, from);
    if (end < 0) return undefined;
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
        return this.#readList(wholeNumber(line));
    }
  }

  #readBulk(length: number): Received {
    if (length < 0) return null;
    const from = this.#at;
    const end = from + length;
    if (this.#bytes.length < end + END.length) return undefined;
    this.#at = end + END.length;
    return decoded(this.#bytes.slice(from, end));
  }

  #readList(length: number): Received {
    if (length < 0) return null;
    const list: Reply[] = [];
    while (list.length < length) {
      const item = this.#at < this.#bytes.length ? this.#read() : undefined;
      if (item === undefined) return undefined;
      list.push(item instanceof ErrorLine ? `-${item.text}` : item);
    }
    return list;
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
