import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { madePage, PAGE } from '../api/page.ts';

test('the page of the API is what TypeDoc makes today', async () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(await madePage());
});
