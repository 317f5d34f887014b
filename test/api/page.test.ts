import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultOf, madePage, PAGE } from './page.ts';

const isWriting = process.env['API'] === 'write';

test('the page is made from the docstrings as they are', async () => {
  if (isWriting) writeFileSync(PAGE, await madePage());

  expect(faultOf(readFileSync(PAGE, 'utf8'))).toBeUndefined();
});

test('a page that was changed by hand is found', () => {
  const page = readFileSync(PAGE, 'utf8');

  expect(faultOf(page.replace('openLocks', 'openLock'))).toMatch('out of date');
});
