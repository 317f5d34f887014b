/**
 * Jute, the encoding of everything that ZooKeeper sends (zookeeper-jute, `BinaryOutputArchive`): big-endian integers;
 * strings, byte arrays and vectors behind their length, of which −1 stands for null, which reads as empty here.
 */

/** Bytes that are not what they should be: they end too early, or a length makes no sense. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
  readonly code = 'MALFORMED';
}

const FIRST_BYTES = 256;
const LENGTH_BYTES = 4;
const encoder = new TextEncoder();
// Not fatal: Java writes characters outside the basic plane as two surrogates of three bytes each.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Writes one frame: what is written goes behind a length that {@link Writer.frame} fills in. */
export class Writer {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = LENGTH_BYTES;

  bool(value: boolean): this {
    this.#room(1);
    this.#bytes[this.#length++] = value ? 1 : 0;
    return this;
  }

  int(value: number): this {
    this.#room(4);
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
    return this;
  }

  long(value: bigint): this {
    this.#room(8);
    this.#view.setBigInt64(this.#length, value);
    this.#length += 8;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.int(value.length).#room(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  string(value: string): this {
    // UTF-16 code units take at most three bytes each.
    this.#room(LENGTH_BYTES + value.length * 3);
    const { written } = encoder.encodeInto(
      value,
      this.#bytes.subarray(this.#length + LENGTH_BYTES),
    );
    this.int(written);
    this.#length += written;
    return this;
  }

  vector<T>(items: readonly T[], write: (item: T, writer: this) => void): this {
    this.int(items.length);
    for (const item of items) write(item, this);
    return this;
  }

  /** Everything written, with its length in front. */
  frame(): Uint8Array {
    this.#view.setInt32(0, this.#length - LENGTH_BYTES);
    return this.#bytes.subarray(0, this.#length);
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Reads what is behind the length of a frame; throws {@link MalformedError}, never reads past the end. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  bool(): boolean {
    return this.#bytes[this.#take(1)] !== 0;
  }

  int(): number {
    return this.#view.getInt32(this.#take(4));
  }

  long(): bigint {
    return this.#view.getBigInt64(this.#take(8));
  }

  /** A copy, so that it does not keep all that came with it in memory. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#counted());
  }

  string(): string {
    return decoder.decode(this.#counted());
  }

  vector<T>(read: (reader: this) => T): T[] {
    const count = this.#count();
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(read(this));
    return items;
  }

  #counted(): Uint8Array {
    const length = this.#count();
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Items of a vector take a byte at least, so no count exceeds the bytes that are left. */
  #count(): number {
    const count = this.int();
    if (count < -1 || count > this.left) {
      throw new MalformedError(`a length of ${count} with ${this.left} bytes left`);
    }
    return Math.max(0, count);
  }

  #take(bytes: number): number {
    if (bytes > this.left) {
      throw new MalformedError(`ends early: ${bytes} bytes wanted, ${this.left} left`);
    }
    const start = this.#offset;
    this.#offset += bytes;
    return start;
  }
}
