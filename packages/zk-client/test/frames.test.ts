import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameLengthError, Frames } from '../src/frames.ts';
import { Writer } from '../src/jute.ts';

const BYTES_MAX = 100;
const body = fc.uint8Array({ maxLength: BYTES_MAX });

function framed(bytes: Uint8Array): number[] {
  return [...new Writer().int(bytes.length).frame().slice(4), ...bytes];
}

function cutUp(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}

test('frames come out whole however their bytes were split and merged', () => {
  fc.assert(
    fc.property(fc.array(body), fc.array(fc.nat({ max: 40 })), (bodies, sizes) => {
      const taken: Uint8Array[] = [];
      const frames = new Frames(BYTES_MAX, (frame) => taken.push(frame.slice()));

      for (const chunk of cutUp(new Uint8Array(bodies.flatMap(framed)), sizes)) frames.push(chunk);

      expect(taken).toEqual(bodies);
    }),
  );
});

test('whoever reads may read into the same memory again', () => {
  fc.assert(
    fc.property(fc.array(body), fc.array(fc.nat({ max: 40 })), (bodies, sizes) => {
      const taken: Uint8Array[] = [];
      const frames = new Frames(BYTES_MAX, (frame) => taken.push(frame.slice()));
      const all = new Uint8Array(bodies.flatMap(framed));
      const memory = new Uint8Array(all.length);

      for (const chunk of cutUp(all, sizes)) {
        memory.set(chunk);
        frames.push(memory.subarray(0, chunk.length));
        memory.fill(0xff);
      }

      expect(taken).toEqual(bodies);
    }),
  );
});

test('a frame is handed on with its last byte, not later', () => {
  fc.assert(
    fc.property(body, (bytes) => {
      let taken = 0;
      const frames = new Frames(BYTES_MAX, () => taken++);
      const all = new Uint8Array(framed(bytes));

      frames.push(all.subarray(0, -1));
      expect(taken).toBe(0);
      frames.push(all.subarray(-1));

      expect(taken).toBe(1);
    }),
  );
});

test.each([-1, -(2 ** 31), BYTES_MAX + 1, 2 ** 31 - 1])(
  'a length of %i is refused, behind the frames that came before it',
  (length) => {
    const taken: Uint8Array[] = [];
    const frames = new Frames(BYTES_MAX, (frame) => taken.push(frame));
    const good = framed(new Uint8Array([1]));
    const bad = new Writer().int(length).frame().slice(4);

    expect(() => frames.push(new Uint8Array([...good, ...bad]))).toThrow(FrameLengthError);

    expect(taken).toEqual([new Uint8Array([1])]);
  },
);

test('nothing is handed on once it is stopped, although more has come', () => {
  let taken = 0;
  const frames = new Frames(BYTES_MAX, () => {
    taken++;
    frames.stop();
  });

  frames.push(new Uint8Array([...framed(new Uint8Array(1)), ...framed(new Uint8Array(1))]));

  expect(taken).toBe(1);
});
