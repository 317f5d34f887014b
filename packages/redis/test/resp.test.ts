import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Encoder } from '../src/adapters/resp/encoder.ts';
import { ErrorLine, type Received, ReplyReader } from '../src/adapters/resp/reply-reader.ts';
import type { Reply } from '../src/port.ts';

const text = fc.string({ unit: 'binary' });
const line = fc.string({ unit: 'grapheme' }).filter((each) => !/[\r\n]/.test(each));
const { reply } = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(text, fc.integer(), fc.constant(null), fc.array(tie('reply'), { maxLength: 4 })),
}));

function bytesOf(value: Reply): Buffer {
  if (value === null) return Buffer.from('$-1\r\n');
  if (typeof value === 'number') return Buffer.from(`:${value}\r\n`);
  if (typeof value === 'string') return Buffer.from(`$${Buffer.byteLength(value)}\r\n${value}\r\n`);
  return Buffer.concat([Buffer.from(`*${value.length}\r\n`), ...value.map(bytesOf)]);
}

/** Reads the bytes in pieces of these lengths, in turn. */
function readInPieces(bytes: Buffer, lengths: readonly number[]): Received[] {
  const reader = new ReplyReader();
  const received: Received[] = [];
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const end = at + (lengths[piece % lengths.length] ?? 1);
    reader.add(bytes.toString('latin1', at, end));
    for (let next = reader.next(); next !== undefined; next = reader.next()) received.push(next);
    at = end;
  }
  return received;
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });

test('replies are read as they were written, wherever their bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(reply), lengths, (replies, cuts) => {
      const bytes = Buffer.concat(replies.map(bytesOf));

      expect(readInPieces(bytes, cuts)).toEqual(replies);
    }),
  );
});

test('a line of status or error is read whole, and an error is told from a text', () => {
  fc.assert(
    fc.property(line, lengths, (each, cuts) => {
      const bytes = Buffer.from(`+${each}\r\n-ERR ${each}\r\n`);

      expect(readInPieces(bytes, cuts)).toEqual([each, new ErrorLine(`ERR ${each}`)]);
    }),
  );
});

test('an empty list, a list that is none and an error in a list', () => {
  const bytes = Buffer.from('*0\r\n*-1\r\n*2\r\n:1\r\n-ERR no\r\n');

  expect(readInPieces(bytes, [3])).toEqual([[], null, [1, '-ERR no']]);
});

test.each(['HTTP/1.1 400 Bad Request\r\n', 'no end of a line', ':one\r\n', '$\r\n', '%1\r\n'])(
  'what is no RESP2 is refused: %j',
  (bytes) => {
    expect(() => readInPieces(Buffer.from(bytes), [bytes.length])).toThrow(
      'does not speak the Redis protocol',
    );
  },
);

const commands = fc.array(
  fc.array(fc.oneof(text, fc.constant('x'.repeat(70_000))), { minLength: 1 }),
  { minLength: 1 },
);

test('commands are written as lists of strings with their lengths in bytes', () => {
  fc.assert(
    fc.property(fc.array(commands), (batches) => {
      const encoder = new Encoder();
      for (const batch of batches) {
        for (const args of batch) encoder.add(args);

        expect(encoder.take().equals(Buffer.concat(batch.map(bytesOf)))).toBe(true);
        encoder.reuse();
      }
    }),
    { numRuns: 20 },
  );
});

test('what was taken stays as it is until its memory may be used again', () => {
  const encoder = new Encoder();
  encoder.add(['GET', 'a']);
  const first = encoder.take();
  encoder.add(['GET', 'b']);
  encoder.reuse();
  const second = encoder.take();

  expect([first, second]).toEqual([bytesOf(['GET', 'a']), bytesOf(['GET', 'b'])]);
});
