import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/source-file.ts';
import { reports } from './report.ts';

const FOLDER = join(root, 'docs/reference/api');

test('the reports show every public name as it is; if it should change: npm run api', async () => {
  const texts = reports();

  expect(texts.get('holdfast.d.ts')).toContain('function openLocks');
  for (const [name, text] of texts) await expect(text).toMatchFileSnapshot(join(FOLDER, name));
  expect(readdirSync(FOLDER).toSorted()).toEqual([...texts.keys()].toSorted());
});
