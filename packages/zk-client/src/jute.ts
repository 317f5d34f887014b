/**
 * Jute, the encoding of everything that ZooKeeper sends (zookeeper-jute, `BinaryOutputArchive`): big-endian integers;
 * strings, byte arrays and vectors behind their length. A length of −1 is null, which is read as empty here.
 */

/**
 * Malformed bytes: they end too early, or have an invalid length.
 * @example
 * ```ts
 * try {
 *   new Reader(bytes).string();
 * } catch (error) {
 *   if (error instanceof MalformedError) log('not a frame of ZooKeeper');
 *   throw error;
 * }
 * ```
 */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
  readonly code = 'MALFORMED';
}

const SLAB_BYTES = 16 * 1024;
const FRAME_BYTES_MIN = 256;
const LENGTH_BYTES = 4;
const ASCII_MAX = 0x7f;
const encoder = new TextEncoder();
// Not fatal: Java writes characters outside the basic plane as two surrogates of three bytes each.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Memory from which frames are cut, one behind the other. An `ArrayBuffer` for each frame would cost more than all the rest. */
interface Slab {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** The memory is free from here on. */
  end: number;
}

function newSlab(bytes: number): Slab {
  const slab = new Uint8Array(bytes);
  return { bytes: slab, view: new DataView(slab.buffer), end: 0 };
}

/** A slab that no writer is using. */
let spare: Slab | undefined;

function takeSlab(): Slab {
  const slab = spare;
  spare = undefined;
  return slab === undefined || slab.end + FRAME_BYTES_MIN > SLAB_BYTES ? newSlab(SLAB_BYTES) : slab;
}

/**
 * Writes one frame, behind a length that {@link Writer.frame} fills in.
 * @example
 * ```ts
 * const frame = new Writer().int(1).string('/jobs').bool(false).frame();
 * ```
 */
export class Writer {
  #slab = takeSlab();
  #start = this.#slab.end;
  #end = this.#start + LENGTH_BYTES;

  /** Appends one byte, 0 or 1. */
  bool(value: boolean): this {
    this.#reserve(1);
    this.#slab.bytes[this.#end++] = value ? 1 : 0;
    return this;
  }

  /** Appends 32 bits, signed. */
  int(value: number): this {
    this.#reserve(4);
    this.#slab.view.setInt32(this.#end, value);
    this.#end += 4;
    return this;
  }

  /** Appends 64 bits, signed. */
  long(value: bigint): this {
    this.#reserve(8);
    this.#slab.view.setBigInt64(this.#end, value);
    this.#end += 8;
    return this;
  }

  /** Appends the length and the bytes. */
  bytes(value: Uint8Array): this {
    this.int(value.length).#reserve(value.length);
    this.#slab.bytes.set(value, this.#end);
    this.#end += value.length;
    return this;
  }

  /** Appends the length and the text in UTF-8. */
  string(value: string): this {
    // UTF-16 code units take at most three bytes each.
    this.#reserve(LENGTH_BYTES + value.length * 3);
    const { bytes } = this.#slab;
    const at = this.#end + LENGTH_BYTES;
    const ascii = writeAscii(value, bytes, at);
    const rest = value.length === ascii ? '' : value.slice(ascii);
    const written =
      rest === '' ? ascii : ascii + encoder.encodeInto(rest, bytes.subarray(at + ascii)).written;
    this.int(written);
    this.#end += written;
    return this;
  }

  /** Appends the number of items, and each as `write` writes it. */
  vector<T>(items: readonly T[], write: (item: T, writer: this) => void): this {
    this.int(items.length);
    for (const item of items) write(item, this);
    return this;
  }

  /** Returns everything written, with its length in front. Ends the writing. */
  frame(): Uint8Array {
    const slab = this.#slab;
    slab.view.setInt32(this.#start, this.#end - this.#start - LENGTH_BYTES);
    slab.end = this.#end;
    if (slab.bytes.length === SLAB_BYTES) spare = slab;
    return slab.bytes.subarray(this.#start, this.#end);
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#slab.bytes.length) return;
    const length = this.#end - this.#start;
    const grown = newSlab(Math.max(SLAB_BYTES + 1, 2 * (length + bytes)));
    grown.bytes.set(this.#slab.bytes.subarray(this.#start, this.#end));
    this.#slab = grown;
    this.#start = 0;
    this.#end = length;
  }
}

/** Returns how many characters from the start are ASCII, and have been written. */
function writeAscii(value: string, bytes: Uint8Array, at: number): number {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > ASCII_MAX) return i;
    bytes[at + i] = code;
  }
  return value.length;
}

/** Converts eight bytes into one number. */
const eight = new DataView(new ArrayBuffer(8));

/**
 * Reads a frame without its length; throws {@link MalformedError}, never reads past the end.
 * @example
 * ```ts
 * const reader = new Reader(bytes);
 * const xid = reader.int();
 * const names = reader.vector((each) => each.string());
 * ```
 */
export class Reader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The number of bytes that are not read yet. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  /** Reads one byte; true unless it is 0. */
  bool(): boolean {
    return this.#bytes[this.#take(1)] !== 0;
  }

  /** Reads 32 bits, signed. */
  int(): number {
    return int32(this.#bytes, this.#take(4));
  }

  /** Reads 64 bits, signed. */
  long(): bigint {
    const at = this.#take(8);
    eight.setInt32(0, int32(this.#bytes, at));
    eight.setInt32(4, int32(this.#bytes, at + 4));
    return eight.getBigInt64(0);
  }

  /** Returns a copy, so that it does not keep the whole chunk in memory. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#counted());
  }

  /** Reads a length and a text in UTF-8. */
  string(): string {
    return decoder.decode(this.#counted());
  }

  /** Reads the number of items, and each with `read`. */
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

/**
 * No `DataView` for each frame: making one costs more than reading by it saves.
 * @example
 * ```ts
 * const length = int32(bytes, 0); // a frame starts with its length, big-endian
 * ```
 */
export function int32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  );
}
