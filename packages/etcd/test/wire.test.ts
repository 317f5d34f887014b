import { array, assert, bigInt, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fields, Writer } from '../src/adapters/grpc/wire.ts';

describe('a message', () => {
  // The examples of https://protobuf.dev/programming-guides/encoding.
  test('has the bytes that the format names', () => {
    expect([...new Writer().int(1, 150).done()]).toEqual([0x08, 0x96, 0x01]);
    expect([...new Writer().text(2, 'testing').done()]).toEqual([
      0x12, 7, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67,
    ]);
    expect([...new Writer().message(3, new Writer().int(1, 150)).done()]).toEqual([
      0x1a, 3, 0x08, 0x96, 0x01,
    ]);
  });

  test('is read as it was written', () => {
    const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    assert(
      property(int64, string({ unit: 'grapheme' }), array(int64), (int, text, parts) => {
        const message = new Writer().int(1, int).text(16, text);
        for (const part of parts) message.message(2, new Writer().int(1, part));
        const fields = new Fields(message.done());

        expect(fields.int(1)).toBe(int);
        expect(fields.text(16)).toBe(text);
        expect(fields.messages(2).map((part) => part.int(1))).toEqual(parts);
      }),
      { numRuns: 200 },
    );
  });

  test('may lack fields, and have others of any kind', () => {
    const fixed = Uint8Array.from([0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4, 0x28, 7]);
    const fields = new Fields(fixed);

    expect(fields.int(5)).toBe(7n);
    expect(fields.int(1)).toBe(0n);
    expect(fields.text(1)).toBe('');
    expect(fields.message(1).uint(2)).toBe(0n);
  });

  test.each([[[0x0a, 5, 1]], [[0x08, 0x80]], [[0x0b]], [[0x08, ...Array<number>(11).fill(0xff)]]])(
    'that is cut or broken is refused: %j',
    (bytes) => {
      expect(() => new Fields(Uint8Array.from(bytes))).toThrow(RangeError);
    },
  );
});
