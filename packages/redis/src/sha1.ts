/**
 * SHA-1 after FIPS 180-4, section 6.1, as lower-case hex. Here because Redis names scripts by it, and neither
 * `node:crypto` nor the asynchronous, secure-contexts-only `crypto.subtle` is at hand everywhere this package runs.
 * @example
 * ```ts
 * const source = "return redis.call('DEL', KEYS[1])";
 * await node.command(['EVALSHA', sha1Hex(source), '1', key], { deadlineMs });
 * ```
 */
export function sha1Hex(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  let hash: Five = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let at = 0; at < message.byteLength; at += 64) hash = compress(hash, schedule(message, at));
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

type Five = readonly [number, number, number, number, number];

/** The message, a one bit, zeros, and the length in bits, in blocks of 64 bytes. */
function padded(bytes: Uint8Array): DataView {
  const padding = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padding.set(bytes);
  padding[bytes.length] = 0x80;
  const view = new DataView(padding.buffer);
  view.setUint32(padding.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padding.length - 4, (bytes.length * 8) >>> 0);
  return view;
}

function schedule(message: DataView, at: number): readonly number[] {
  const words: number[] = [];
  const earlier = (round: number, back: number): number => words[round - back] ?? 0;
  for (let round = 0; round < 80; round++) {
    words.push(
      round < 16
        ? message.getInt32(at + 4 * round)
        : rotate(
            earlier(round, 3) ^ earlier(round, 8) ^ earlier(round, 14) ^ earlier(round, 16),
            1,
          ),
    );
  }
  return words;
}

function compress(hash: Five, words: readonly number[]): Five {
  let [a, b, c, d, e] = hash;
  for (const [round, word] of words.entries()) {
    const next = (rotate(a, 5) + mix(round, b, c, d) + e + word) | 0;
    [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
  }
  return [
    (hash[0] + a) | 0,
    (hash[1] + b) | 0,
    (hash[2] + c) | 0,
    (hash[3] + d) | 0,
    (hash[4] + e) | 0,
  ];
}

/** The round's function of b, c and d, with its constant added. */
function mix(round: number, b: number, c: number, d: number): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
