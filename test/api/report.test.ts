import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/source-file.ts';
import { report } from './report.ts';

test('the report shows every public name as it is; if it should change: npm run api', async () => {
  const text = report();

  expect(text).toContain('function openLocks');
  await expect(text).toMatchFileSnapshot(join(root, 'docs/reference/api-report.d.ts'));
});
