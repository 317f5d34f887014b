import {
  checkFirst,
  type GuardSubject,
  markThenReads,
  oneTransaction,
  playGuard,
  readsBeforeMark,
  tokenPerRow,
} from '@holdfast/harness/guards';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuardedPostgres } from './support/guarded-postgres.ts';
import { GuardedRedis } from './support/guarded-redis.ts';

let postgres: GuardedPostgres;
let redis: GuardedRedis;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([GuardedPostgres.start(), GuardedRedis.start()]);
});
afterAll(() => Promise.all([postgres.close(), redis.close()]));

test.each<[string, () => GuardSubject]>([
  ['in one transaction', () => oneTransaction(postgres.throughPg('READ COMMITTED'))],
  ['at REPEATABLE READ', () => oneTransaction(postgres.throughPg('REPEATABLE READ'))],
  ['at SERIALIZABLE', () => oneTransaction(postgres.throughPg('SERIALIZABLE'))],
  ['through postgres', () => oneTransaction(postgres.throughPostgresJs())],
  ['with reads after the mark', () => markThenReads(postgres.throughPg('READ COMMITTED'))],
  ['on Redis', () => redis.guarded()],
])('a late holder changes nothing %s, wherever it and the next one are paused', async (_, open) => {
  const { plays, broken } = await playGuard(open());

  expect(broken).toBeUndefined();
  // Or nobody was late.
  expect(plays.filter((play) => play.isLateRefused).length).toBeGreaterThanOrEqual(5);
  expect(plays.filter((play) => !play.isLateRefused).length).toBeGreaterThanOrEqual(5);
});

test.each<[string, () => GuardSubject]>([
  [
    'a token in each row',
    () => tokenPerRow(postgres.throughPg('READ COMMITTED'), (...row) => postgres.writeRow(...row)),
  ],
  ['a check before the work', () => checkFirst(postgres.throughPg('READ COMMITTED'))],
  ['reads before the mark', () => readsBeforeMark(postgres.throughPg('READ COMMITTED'))],
  ['tokens compared as doubles', () => redis.comparedAsDoubles()],
])('the exhibit falls: %s', async (_, open) => {
  const { broken } = await playGuard(open());

  expect(broken?.verdict.message).toMatch(/^next overwrote 1 of late in [ab] with 1/);
});
