import { expect, test } from 'vitest';
import { loadMatrix } from '../src/matrix/index.ts';
import { matrixPage } from '../src/matrix/page.ts';

test('the page of the matrix is the one made from its data (write it with vitest -u)', async () => {
  await expect(matrixPage(loadMatrix())).toMatchFileSnapshot('../../docs/evidence/matrix.md');
});
