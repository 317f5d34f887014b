import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedError, Reader, Writer } from '../src/jute.ts';

type Item =
  | { kind: 'bool'; value: boolean }
  | { kind: 'int'; value: number }
  | { kind: 'long'; value: bigint }
  | { kind: 'bytes'; value: Uint8Array }
  | { kind: 'string'; value: string }
  | { kind: 'vector'; value: string[] };

const text = fc.string({ unit: 'grapheme' });
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ kind: fc.constant('bool' as const), value: fc.boolean() }),
  fc.record({ kind: fc.constant('int' as const), value: fc.integer() }),
  fc.record({
    kind: fc.constant('long' as const),
    value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  }),
  fc.record({ kind: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 700 }) }),
  fc.record({ kind: fc.constant('string' as const), value: text }),
  fc.record({ kind: fc.constant('vector' as const), value: fc.array(text) }),
);

function write(writer: Writer, { kind, value }: Item): void {
  if (kind === 'bool') writer.bool(value);
  else if (kind === 'int') writer.int(value);
  else if (kind === 'long') writer.long(value);
  else if (kind === 'bytes') writer.bytes(value);
  else if (kind === 'string') writer.string(value);
  else writer.vector(value, (each, inner) => void inner.string(each));
}

function read(reader: Reader, kind: Item['kind']): Item['value'] {
  if (kind === 'vector') return reader.vector((inner) => inner.string());
  return reader[kind]();
}

function bodyOf(items: readonly Item[]): Uint8Array {
  const writer = new Writer();
  for (const each of items) write(writer, each);
  return writer.frame().slice(4);
}

describe('jute', () => {
  test('reads back whatever was written, and nothing is left over', () => {
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const reader = new Reader(bodyOf(items));

        const back = items.map(({ kind }) => read(reader, kind));

        expect(back).toEqual(items.map(({ value }) => value));
        expect(reader.left).toBe(0);
      }),
    );
  });

  test('writes the length of all that follows in front', () => {
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const writer = new Writer();
        for (const each of items) write(writer, each);

        const frame = writer.frame();

        expect(new Reader(frame).int()).toBe(frame.length - 4);
      }),
    );
  });

  test('writes what ZooKeeper writes', () => {
    const writer = new Writer().int(-2).long(258n).bool(true).string('/é').bytes(new Uint8Array());

    expect(Buffer.from(writer.frame()).toString('hex')).toBe(
      ['00000018', 'fffffffe', '0000000000000102', '01', '00000003', '2fc3a9', '00000000'].join(''),
    );
  });

  test('takes null strings, bytes and vectors, whose length is −1, for empty ones', () => {
    const nulls = new Writer().int(-1).int(-1).int(-1).frame().slice(4);
    const reader = new Reader(nulls);

    expect(reader.string()).toBe('');
    expect(reader.bytes()).toEqual(new Uint8Array());
    expect(reader.vector((each) => each.int())).toEqual([]);
  });

  test('never reads past the end: bytes cut off anywhere are malformed', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1 }), fc.nat(), (items, cut) => {
        const body = bodyOf(items);
        const reader = new Reader(body.subarray(0, cut % body.length));

        expect(() => {
          for (const { kind } of items) read(reader, kind);
        }).toThrow(MalformedError);
      }),
    );
  });

  test.each([-2, -(2 ** 31), 5, 2 ** 31 - 1])(
    'a length of %i with 4 bytes left is malformed',
    (length) => {
      const body = new Writer().int(length).int(0).frame().slice(4);

      expect(() => new Reader(body).string()).toThrow(MalformedError);
      expect(() => new Reader(body).bytes()).toThrow(MalformedError);
      expect(() => new Reader(body).vector((each) => each.bool())).toThrow(MalformedError);
    },
  );

  test('copies bytes, so that they do not keep what came with them', () => {
    const body = new Writer()
      .bytes(new Uint8Array([1, 2]))
      .frame()
      .slice(4);

    const bytes = new Reader(body).bytes();

    expect(bytes.buffer.byteLength).toBe(2);
  });
});
