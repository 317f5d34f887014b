import { ConfigError } from '@holdfast/core';
import { EXHIBITS as RECIPES } from '@holdfast/harness/exhibits';
import { openLocks } from 'holdfast';
import { expect, test } from 'vitest';
import { ExhibitRunner } from '../src/compare/exhibit-runner.ts';
import { EXHIBITS } from '../src/locks/index.ts';

test.each(RECIPES)(
  'openLocks refuses $name, says why, and names the lock to use',
  async ({ name, flaw }) => {
    const opening = openLocks({ backend: name, options: { url: 'redis://localhost:1' } });

    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(
      `"${name}" is an exhibit, for demonstration only: ${flaw}. Use redis-simple.`,
    );
  },
);

test('every exhibit can be searched by its name', () => {
  expect(EXHIBITS.map(({ name }) => name)).toEqual(RECIPES.map(({ name }) => name));
});

test('under late messages those with a wrong release break, and the one with the right one holds', async () => {
  const stage = new ExhibitRunner({ seed: 1, budget: 16, faults: ['delay'] });
  const [row] = stage.head.rows;
  if (row === undefined) throw new Error('there is no row');

  const cells = [];
  for (const column of stage.head.columns) cells.push(await stage.runCell(row, column));

  expect(cells.map(({ column, outcome, stories }) => [column, outcome, stories?.[0]])).toEqual([
    ['setnx-del', 'breaks', undefined],
    ['setnx-expire', 'breaks', undefined],
    ['set-nx-fixed', 'breaks', 'set-nx-fixed-late-del'],
    ['set-nx-same-id', 'breaks', 'set-nx-same-id-late-release'],
    ['set-nx-get-del', 'breaks', 'set-nx-get-del-between'],
    ['set-nx-lua', 'holds', undefined],
  ]);
  expect(cells.filter(({ unexpected }) => unexpected)).toEqual([]);
});

test('a lock that is stuck forever is reported as broken, with the evidence', async () => {
  const stage = new ExhibitRunner({ seed: 1, budget: 4, faults: ['holder-crash'] });
  const column = stage.head.columns.find(({ id }) => id === 'setnx-del');
  if (column === undefined) throw new Error('there is no setnx-del');

  const cell = await stage.runCell({ fault: 'holder-crash' }, column);

  expect(cell).toMatchObject({ outcome: 'breaks', stories: ['setnx-del-crash'] });
  expect(cell.evidence?.stuck).toBeGreaterThan(0);
});
