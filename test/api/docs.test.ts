import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/source-file.ts';
import { undocumentedIn, undocumentedOf } from './undocumented.ts';

test.each(readdirSync(join(root, 'packages')))(
  'every public name of %s has a docstring, and so has every member of its interfaces',
  (name) => {
    expect(undocumentedOf(`packages/${name}`)).toEqual([]);
  },
);

test('what lacks a docstring is named', () => {
  const text = `interface Lease {
  /** Its key. */
  readonly key: string;
  readonly owner: string;
  release(): void;
}`;

  expect(undocumentedIn(text)).toEqual(['', '.owner', '.release']);
  expect(undocumentedIn(`/** Opens. */\nfunction open(): void;`)).toEqual([]);
});
