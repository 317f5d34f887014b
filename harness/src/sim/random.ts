/** A repeatable source of numbers; equal seeds give equal sequences on every engine. */
export interface Random {
  /** Uniform in [0, 1), 32 bits fine. */
  next(): number;
  /** A whole number in [0, limit). */
  below(limit: number): number;
  /** 128 bits as 32 hexadecimal digits. */
  id(): string;
}

/** sfc32 of Chris Doty-Humphrey's PractRand, seeded through splitmix32. Deliberately not unguessable. */
export function random(seed: number | string): Random {
  const word = sfc32(splitmix32(fnv1a(String(seed))));
  return {
    next: () => word() / 2 ** 32,
    below: (limit) => Math.floor((word() / 2 ** 32) * limit),
    id: () => hex(word()) + hex(word()) + hex(word()) + hex(word()),
  };
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(word: number): string {
  const byte = (shift: number): string => BYTES[(word >>> shift) & 0xff] ?? '';
  return byte(24) + byte(16) + byte(8) + byte(0);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

function splitmix32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
}

/** The number of words that PractRand itself discards, so that close seeds diverge. */
const WARM_UP = 12;

function sfc32(seed: () => number): () => number {
  let [a, b, c, counter] = [seed(), seed(), seed(), 1];
  const word = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < WARM_UP; i++) word();
  return word;
}
