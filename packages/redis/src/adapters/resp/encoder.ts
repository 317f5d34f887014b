/** Bytes of one block. */
const BLOCK_LENGTH = 65_536;
/** No character of a string takes more bytes than this in UTF-8. */
const BYTES_MAX = 3;
/** Room for a length with its sign and line end. */
const HEAD_LENGTH = 16;
const [CR, LF, LIST, BULK, ZERO] = [13, 10, 42, 36, 48];

/**
 * Writes commands as RESP2 has them, a list of strings, each with its length in bytes. All go into one block of memory, which
 * is used again once its bytes have left: a command would otherwise leave a kilobyte of strings behind.
 */
export class Encoder {
  #block = Buffer.allocUnsafeSlow(BLOCK_LENGTH);
  #from = 0;
  #at = 0;

  /** The number of bytes so far. */
  get length(): number {
    return this.#at - this.#from;
  }

  add(args: readonly string[]): void {
    this.#reserve(HEAD_LENGTH);
    this.#writeHead(LIST, args.length);
    for (const arg of args) this.#addString(arg);
  }

  /** Returns what was added since the last call. It is valid until `reuse`. */
  take(): Buffer {
    const bytes = this.#block.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return bytes;
  }

  /** Nobody needs any longer what was taken. */
  reuse(): void {
    if (this.length > 0) return;
    this.#from = 0;
    this.#at = 0;
  }

  #addString(text: string): void {
    this.#reserve(BYTES_MAX * text.length + HEAD_LENGTH);
    const from = this.#at;
    this.#writeHead(BULK, text.length);
    const bytes = this.#block.write(text, this.#at);
    if (bytes === text.length) {
      this.#at += bytes;
    } else {
      // Not plain ASCII, so the head was wrong.
      this.#at = from;
      this.#writeHead(BULK, bytes);
      this.#at += this.#block.write(text, this.#at);
    }
    this.#endLine();
  }

  #writeHead(type: number, length: number): void {
    const block = this.#block;
    block[this.#at++] = type;
    if (length < 10) block[this.#at++] = ZERO + length;
    else this.#at += block.write(`${length}`, this.#at, 'latin1');
    this.#endLine();
  }

  #endLine(): void {
    this.#block[this.#at++] = CR;
    this.#block[this.#at++] = LF;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#block.length) return;
    const begun = this.#block.subarray(this.#from, this.#at);
    const block = Buffer.allocUnsafeSlow(Math.max(BLOCK_LENGTH, 2 * (begun.length + length)));
    begun.copy(block);
    this.#block = block;
    this.#from = 0;
    this.#at = begun.length;
  }
}
