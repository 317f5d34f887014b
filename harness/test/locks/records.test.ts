import { expect, test } from 'vitest';
import {
  builtInSubject,
  columnNamed,
  counterpartOf,
  isControl,
  lockOf,
  MATRIX_COLUMNS,
  REAL_COLUMNS,
  subjectOf,
} from '../../src/locks/index.ts';
import { loadMatrix } from '../../src/matrix/index.ts';

test('the matrix has a column for every lock on simulated servers, in the order of the records', () => {
  expect(loadMatrix().columns).toEqual(MATRIX_COLUMNS);
});

test('a lock runs on the numbers of servers that its record names, each under its own name', () => {
  expect(builtInSubject('redlock-4')).toMatchObject({ name: 'redlock-4', nodes: 4 });
  expect(builtInSubject('redlock-2')).toBeUndefined();
  expect(builtInSubject('redlock-10')).toBeUndefined();
  expect(builtInSubject('zk-5')).toBeUndefined();
});

test('servers with replicas make a column, and no lock of another name', () => {
  expect(subjectOf('redlock-pairs').name).toBe('redlock');
  expect(builtInSubject('redlock-pairs')).toBeUndefined();
});

test('what only real servers have is no lock of the simulator', () => {
  expect(columnNamed('redis-simple/ioredis').client).toBe('ioredis');
  expect(builtInSubject('redis-simple/ioredis')).toBeUndefined();
  expect(builtInSubject('zk/single')).toBeUndefined();
});

test('on real servers a lock is configured under its own name', () => {
  const locks = REAL_COLUMNS.filter((id) => !isControl(id));
  const backends = locks.map((id) => lockOf(id)?.service?.(['127.0.0.1:1']).backend);

  expect(locks).toContain('redis-simple/sentinel');
  expect(backends).toEqual(locks.map((id) => lockOf(id)?.name));
});

test('the counterpart of a lock is on servers of the same kind, one or several', () => {
  expect(
    ['set-nx-lua', 'redlock-one-look', 'zk', 'memory'].map(subjectOf).map(counterpartOf),
  ).toEqual(['redis-simple', 'redlock', 'zk', 'memory']);
});
