import { createHost, openMemory, systemRuntime } from '@holdfast/core';
import { capabilities as getset } from '@holdfast/redis-getset';
import { capabilities as simple } from '@holdfast/redis-simple';
import { capabilities as redlock } from '@holdfast/redlock';
import { capabilities as zk } from '@holdfast/zk';
import { expect, test } from 'vitest';
import { loadMatrix, type MatrixColumn, survivors } from '../src/matrix/index.ts';
import { survivesSource } from '../src/matrix/survives-source.ts';

const SOURCES: readonly (readonly [MatrixColumn, string, string])[] = [
  ['memory', '../../core/src/memory/survives.ts', '../history.ts'],
  ['redis-simple', '../../redis-simple/src/survives.ts', '@holdfast/core'],
  ['redis-getset', '../../redis-getset/src/survives.ts', '@holdfast/core'],
  ['redlock', '../../redlock/src/survives.ts', '@holdfast/core'],
  ['zk', '../../zk/src/survives.ts', '@holdfast/core'],
];

test.for(SOURCES)(
  'what %s says it survives is made from the matrix (write it with vitest -u)',
  async ([column, path, faultId]) => {
    const source = survivesSource(survivors(loadMatrix(), column), faultId);

    await expect(source).toMatchFileSnapshot(path);
  },
);

test('backends promise what the matrix says', async () => {
  const memory = await openMemory({}, createHost({ runtime: systemRuntime(), label: 'test' }));
  const promises = {
    memory: memory.capabilities,
    'redis-simple': simple,
    'redis-getset': getset,
    redlock,
    zk,
  };

  for (const [column, { survives }] of Object.entries(promises))
    expect([column, survives]).toEqual([column, survivors(loadMatrix(), column as MatrixColumn)]);
});
