import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseZkUrl, ZkUrlError } from '../../src/backends/zk.ts';

const text = fc.string({ unit: 'grapheme' });
const user = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !name.includes(':'));
const node = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((name) => name !== '.' && name !== '..' && !name.includes('/'));

test('credentials and chroot are parsed back whole, for any characters', () => {
  fc.assert(
    fc.property(user, text, node, (name, password, chroot) => {
      const credentials = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
      const target = parseZkUrl(`zk://${credentials}@a/${encodeURIComponent(chroot)}`);

      expect(target.auth).toEqual({ user: name, password });
      expect(target.chroot).toBe(`/${chroot}`);
    }),
  );
});

test('any text is either parsed or rejected by a rule', () => {
  const surprises: unknown[] = [];
  fc.assert(
    fc.property(text, (rest) => {
      try {
        parseZkUrl(`zk://${rest}`);
      } catch (error) {
        if (!(error instanceof ZkUrlError)) surprises.push(error);
      }
    }),
  );

  expect(surprises).toEqual([]);
});
