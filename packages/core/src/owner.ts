const LABEL_BYTES_MAX = 64;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The parts of the value that a store keeps for one attempt of a contender. */
export interface Owner {
  /** The id of the contender: random, without `:`. */
  readonly contender: string;
  /** The number of the attempt; the first is 1. */
  readonly n: number;
  /** Names the process, for people; at most 64 bytes. */
  readonly label: string;
}

/**
 * `‹contender›:‹n›:‹label›`; compared whole, and parsed only to recognise earlier attempts of the same contender.
 * @example
 * ```ts
 * ownerValue({ contender: 'q3kf', n: 1, label: 'billing:812' }); // 'q3kf:1:billing:812'
 * ```
 */
export function ownerValue(owner: Owner): string {
  return `${owner.contender}:${owner.n}:${owner.label}`;
}

/**
 * Parses an owner value; undefined for other values, for example another tool's.
 * @example
 * ```ts
 * const found = parseOwner('q3kf:1:billing:812');
 * log(found?.label ?? 'not written by this library'); // billing:812
 * ```
 */
export function parseOwner(value: string): Owner | undefined {
  const [, contender, n, label] = /^([^:]+):(\d+):([^]*)$/.exec(value) ?? [];
  if (contender === undefined || n === undefined || label === undefined) return undefined;
  return { contender, n: Number(n), label };
}

/**
 * A label for people: no control characters, cut to 64 bytes without splitting a character.
 * @example
 * ```ts
 * cleanLabel('billing\n812'); // 'billing 812'
 * ```
 */
export function cleanLabel(label: string): string {
  const printable = label.replaceAll(/\p{Cc}|\p{Cs}/gu, ' ');
  const bytes = encoder.encode(printable);
  if (bytes.length <= LABEL_BYTES_MAX) return printable;
  return decoder
    .decode(bytes.subarray(0, LABEL_BYTES_MAX), { stream: false })
    .replace(/\uFFFD+$/, '');
}
