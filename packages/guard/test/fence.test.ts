import { memoryMarks, pgGuard, redisGuard, sqliteGuard } from '@holdfast/guard';
import { expect, test } from 'vitest';
import { isReply, isRetryable } from '../src/sql/failures.ts';

const untouched = {
  exec: () => expect.unreachable('a statement was sent'),
  prepare: () => expect.unreachable('a statement was sent'),
};

test.each([
  ['no token', { key: 'k', fencingToken: undefined }, 'CAPABILITY'],
  ['a token below 0', { key: 'k', fencingToken: -1n }, 'CAPABILITY'],
  ['a token of more than 63 bits', { key: 'k', fencingToken: 2n ** 63n }, 'CAPABILITY'],
  ['no keys', { fencingTokens: new Map() }, 'CAPABILITY'],
  ['an empty key', { key: '', fencingToken: 1n }, 'INVALID_KEY'],
])('a lease with %s is refused before anything is sent', (_, lease, code) => {
  const guard = sqliteGuard(untouched);

  expect(() => guard.admit(lease)).toThrow(expect.objectContaining({ code }));
});

test('a table with more than a plain name is refused', () => {
  const pool = { connect: () => expect.unreachable('connected') };

  expect(() => pgGuard(pool, { table: 'a; DROP TABLE b' })).toThrow(/must be a plain name/);
  expect(pgGuard(pool, { table: 'app.marks' }).migration).toContain('app.marks');
});

test('marks in memory are refused for more than one replica', () => {
  expect(() => memoryMarks({ replicas: 2 })).toThrow(expect.objectContaining({ code: 'CONFIG' }));
});

test.each([
  ['PostgreSQL: serialization failure', { code: '40001' }],
  ['below the error of a query builder', { cause: { code: '40P01' } }],
  ['MySQL: deadlock', { code: 'ER_LOCK_DEADLOCK', errno: 1213, sqlState: '40001' }],
  ['MariaDB: record has changed', { errno: 1020, sqlState: 'HY000' }],
  ['node:sqlite: busy snapshot', { code: 'ERR_SQLITE_ERROR', errcode: 517 }],
  ['Prisma: write conflict', { code: 'P2034' }],
])('a transaction is repeated after %s', (_, error) => {
  expect(isRetryable(error)).toBe(true);
});

test.each([
  ['a reset', { code: 'ECONNRESET' }],
  // Five capitals, as an SQLSTATE has.
  ['a broken pipe', { code: 'EPIPE' }],
  ['a server that shuts down', { code: '57P01' }],
  ['a standby that did not confirm', { code: '40003' }],
  ['MySQL’s general error', { code: 'ER_ERROR_DURING_COMMIT', errno: 1180, sqlState: 'HY000' }],
  ['a connection that Prisma lost', { code: 'P1017' }],
  ['no error at all', undefined],
])('%s at the commit leaves it unknown', (_, error) => {
  expect(isRetryable(error)).toBe(false);
  expect(isReply(error)).toBe(false);
});

test.each([
  ['a constraint', { code: '23505' }],
  ['a constraint of MySQL', { code: 'ER_DUP_ENTRY', sqlState: '23000' }],
  ['a full disk of SQLite', { code: 'SQLITE_FULL' }],
])('%s at the commit says that it has failed', (_, error) => {
  expect(isReply(error)).toBe(true);
});

test('a reply of Redis is passed on, and silence leaves the write unknown', async () => {
  const lease = { key: 'k', fencingToken: 1n };
  const failing = (message: string): Promise<unknown> => {
    const client = { sendCommand: true, eval: () => Promise.reject(new Error(message)) };
    return redisGuard(client).set(lease, 'a', 'b');
  };

  await expect(failing('OOM command not allowed')).rejects.toThrow(/^OOM/);
  await expect(failing('Socket closed unexpectedly')).rejects.toMatchObject({
    code: 'WRITE_UNKNOWN',
    key: 'k',
    cause: { message: 'Socket closed unexpectedly' },
  });
});
