/** One event in a world. */
export interface TraceRecord {
  readonly seq: number;
  /** True time. */
  readonly atUs: number;
  /** The process or server, or `world`. */
  readonly process: string;
  /** For example `send`, `exec`, `push`, `recv`, `lost`, `pause`, `block`, `jump`, `crash`, `restart`, `expire`. */
  readonly kind: string;
  /** `seq` of the record that led to this one, −1 for none: arrows and causal cones follow from it. */
  readonly cause: number;
  readonly label?: string;
  /** The time a message left, if its sender had been stalled within the very step that sent it. */
  readonly departUs?: number;
  /** The recipient of a message. */
  readonly to?: string;
  /** For people: the request, the reply, or the key that expired. */
  readonly detail?: string;
}

/** All records, in order of execution. */
export class Trace {
  readonly #records: TraceRecord[] = [];
  readonly #kept: boolean;

  constructor(kept: boolean) {
    this.#kept = kept;
  }

  get records(): readonly TraceRecord[] {
    return this.#records;
  }

  /** False if records are not kept, so that making them is pointless. */
  get isKept(): boolean {
    return this.#kept;
  }

  /** Returns the new record's `seq`, −1 when nothing is kept. */
  add(record: Omit<TraceRecord, 'seq'>): number {
    if (!this.#kept) return -1;
    const seq = this.#records.length;
    this.#records.push({ seq, ...record });
    return seq;
  }

  /**
   * Returns 64 bits as 16 hexadecimal digits: equal for equal runs, on every engine. Throws if no trace is kept,
   * since the hash of nothing would make all runs look alike.
   */
  hash(): string {
    if (!this.#kept) throw new Error('this world keeps no trace: open it with { trace: true }');
    return hashOf(this.#records);
  }
}

/** The hash of a trace, as {@link Trace.hash} returns it. */
export function hashOf(records: readonly TraceRecord[]): string {
  const hash = new TraceHash();
  for (const { atUs, process, kind, cause, label, departUs, to, detail } of records) {
    hash.add(`${atUs}|${process}|${kind}|${cause}|${label ?? ''}|${departUs ?? ''}`);
    // Hashed separately, so that adding a field later leaves the hashes of traces without it unchanged.
    if (to !== undefined) hash.add(`|to=${to}`);
    if (detail !== undefined) hash.add(`|detail=${detail}`);
    hash.add('\n');
  }
  return hash.digits();
}

/** cyrb53 by bryc (public domain), both lanes kept: two 32-bit multiply-xor lanes, mixed at the end. */
class TraceHash {
  #a = 0xdeadbeef;
  #b = 0x41c6ce57;

  add(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      this.#a = Math.imul(this.#a ^ code, 2654435761);
      this.#b = Math.imul(this.#b ^ code, 1597334677);
    }
  }

  digits(): string {
    const a = mix(this.#a, this.#b);
    const b = mix(this.#b, this.#a);
    return hex(b) + hex(a);
  }
}

function mix(channel: number, other: number): number {
  return (
    Math.imul(channel ^ (channel >>> 16), 2246822507) ^
    Math.imul(other ^ (other >>> 13), 3266489909)
  );
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
