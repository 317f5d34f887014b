import { int32, MalformedError } from './jute.ts';

const LENGTH_BYTES = 4;
const NOTHING = new Uint8Array(0);

/** A reply that announces more bytes than this client accepts, or a negative number. */
export class FrameLengthError extends MalformedError {
  /** The value of the first four bytes. */
  readonly length: number;

  constructor(length: number, bytesMax: number) {
    super(`a reply of ${length} bytes: not within 0 and ${bytesMax}`);
    this.length = length;
  }
}

/** Cuts a stream of bytes into frames, however the network split and merged them. */
export class Frames {
  readonly #bytesMax: number;
  readonly #take: (frame: Uint8Array) => void;
  #isStopped = false;
  /** Bytes of the frame that is not complete yet, its length included. */
  #parts: Uint8Array[] = [];
  #partsBytes = 0;
  #neededBytes = LENGTH_BYTES;

  constructor(bytesMax: number, take: (frame: Uint8Array) => void) {
    this.#bytesMax = bytesMax;
    this.#take = take;
  }

  /**
   * Passes on every frame that is complete now, valid for the time of the call; keeps nothing of the chunk itself. Throws
   * {@link FrameLengthError}, and whatever the receiver of a frame throws.
   */
  push(chunk: Uint8Array): void {
    this.#partsBytes += chunk.length;
    if (this.#partsBytes < this.#neededBytes) return void this.#parts.push(chunk.slice());
    this.#parts.push(chunk);
    let bytes = this.#joined();
    while (!this.#isStopped && bytes.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.#lengthOf(bytes);
      this.#neededBytes = end;
      if (bytes.length < end) break;
      const frame = bytes.subarray(LENGTH_BYTES, end);
      bytes = bytes.subarray(end);
      this.#neededBytes = LENGTH_BYTES;
      this.#take(frame);
    }
    this.#parts = bytes.length === 0 ? [] : [bytes.slice()];
    this.#partsBytes = bytes.length;
  }

  /** Passes on no more frames, not even of bytes that have arrived. */
  stop(): void {
    this.#isStopped = true;
  }

  #lengthOf(bytes: Uint8Array): number {
    const length = int32(bytes, 0);
    if (length < 0 || length > this.#bytesMax) throw new FrameLengthError(length, this.#bytesMax);
    return length;
  }

  #joined(): Uint8Array {
    const [first = NOTHING] = this.#parts;
    if (this.#parts.length <= 1) return first;
    const all = new Uint8Array(this.#partsBytes);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
