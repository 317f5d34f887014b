/**
 * The encoding of protocol buffers (https://protobuf.dev/programming-guides/encoding), as far as etcd's messages use it:
 * variable-length integers, and texts or messages with their length.
 */

const VARINT = 0;
const LENGTH = 2;
/** Bytes of the other two kinds of fields, which are skipped. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes the fields of one message. */
export class Writer {
  readonly #bytes: number[] = [];

  /** Writes an integer, also 0: a field that is absent and one that is 0 may differ in a list or a choice. */
  int(field: number, value: bigint | number): this {
    this.#varint((BigInt(field) << 3n) | BigInt(VARINT));
    this.#varint(BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  message(field: number, message: Writer): this {
    return this.bytes(field, message.#bytes);
  }

  bytes(field: number, value: ArrayLike<number> & Iterable<number>): this {
    this.#varint((BigInt(field) << 3n) | BigInt(LENGTH));
    this.#varint(BigInt(value.length));
    for (const byte of value) this.#bytes.push(byte);
    return this;
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  #varint(value: bigint): void {
    let rest = value;
    while (rest > 0x7fn) {
      this.#bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#bytes.push(Number(rest));
  }
}

/** The fields of one message that was received; a field that is absent is 0, empty, or an empty message. */
export class Fields {
  readonly #ints = new Map<number, bigint>();
  readonly #lengths = new Map<number, Uint8Array[]>();

  /** @throws RangeError if the bytes are no message */
  constructor(bytes: Uint8Array) {
    const reader = new Reader(bytes);
    while (!reader.isAtEnd) {
      const tag = Number(reader.varint());
      const field = tag >>> 3;
      const kind = tag & 7;
      if (kind === VARINT) this.#ints.set(field, reader.varint());
      else if (kind === LENGTH) this.#add(field, reader.take(Number(reader.varint())));
      else reader.take(FIXED_BYTES[kind] ?? Number.POSITIVE_INFINITY);
    }
  }

  /** A signed integer of 64 bits. */
  int(field: number): bigint {
    return BigInt.asIntN(64, this.uint(field));
  }

  /** An unsigned integer of 64 bits. */
  uint(field: number): bigint {
    return this.#ints.get(field) ?? 0n;
  }

  bool(field: number): boolean {
    return this.uint(field) !== 0n;
  }

  /** Bytes that are not UTF-8 become replacement characters. */
  text(field: number): string {
    return decoder.decode(this.#lengths.get(field)?.at(-1));
  }

  message(field: number): Fields {
    return new Fields(this.#lengths.get(field)?.at(-1) ?? new Uint8Array());
  }

  has(field: number): boolean {
    return this.#lengths.has(field);
  }

  messages(field: number): readonly Fields[] {
    return (this.#lengths.get(field) ?? []).map((bytes) => new Fields(bytes));
  }

  #add(field: number, bytes: Uint8Array): void {
    const all = this.#lengths.get(field);
    if (all === undefined) this.#lengths.set(field, [bytes]);
    else all.push(bytes);
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte = 0] = this.take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('an integer of more than 64 bits');
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('a message that ends within a field');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
