import { LockLostError } from '@holdfast/core';
import type { migration, within } from '@holdfast/postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../../../packages/postgres/test/kit.ts';
import { WITHIN_MUTANTS, type WithinMutant } from '../../broken/mutants/within.ts';
import { copyOf } from '../../broken/mutate.ts';
import { importCopy } from '../../mutation/copies.ts';

/** The right package, or one with a mistake. */
interface Copy {
  readonly within: typeof within;
  readonly migration: typeof migration;
}

const EXPIRE = "UPDATE holdfast.locks_v1 SET expires_at = clock_timestamp() - interval '1 s'";
const DROP = 'DROP INDEX holdfast.locks_v1_token';
/** A renewal is given up after a tenth of it. */
const TTL_MS = 2_000;

const RIGHT = await importCopy<Copy>(copyOf(['postgres'], 'right-within'), 'postgres');

let bench: Bench;
let pool: pg.Pool;

beforeAll(async () => {
  bench = await Bench.start();
  pool = new pg.Pool({ connectionString: bench.server.url });
});
afterEach(() => bench.clear());
afterAll(async () => {
  await pool.end();
  await bench.close();
});

async function begin(): Promise<pg.PoolClient> {
  const client = await pool.connect();
  await client.query('BEGIN');
  bench.closeLater(async () => {
    await client.query('ROLLBACK');
    client.release();
  });
  return client;
}

/** Says if the check passed. */
async function checked(check: Promise<void>): Promise<'passed' | 'lost'> {
  try {
    await check;
    return 'passed';
  } catch (error) {
    if (error instanceof Error && error.name === LockLostError.name) return 'lost';
    throw error;
  }
}

/** What each scene comes to; with the right check, and with the mistake. */
const SCENES: Readonly<Record<WithinMutant['scene'], (copy: Copy) => Promise<string>>> = {
  async renewal(copy) {
    const { locks } = await bench.open({ ttlMs: TTL_MS });
    const lease = await locks.acquire('k', { renew: false });
    await copy.within(lease, await begin());
    return await lease.extend(TTL_MS).then(
      () => 'renewed',
      () => 'not renewed',
    );
  },

  async takeover(copy) {
    const { locks: first } = await bench.open();
    const { locks: second } = await bench.open({ ttlMs: TTL_MS });
    await bench.server.sql(DROP);
    await bench.server.sql(copy.migration());
    const lease = await first.acquire('k');
    await copy.within(lease, await begin());
    await bench.server.sql(EXPIRE);
    const taken = await second.acquire('k', { waitMs: 0 }).then(
      () => 'taken over',
      () => 'kept',
    );
    await bench.closeAll();
    await bench.server.sql(DROP);
    await bench.server.sql(RIGHT.migration());
    return taken;
  },

  async 'number twice'(copy) {
    const { locks: first } = await bench.open();
    const { locks: second } = await bench.open();
    const lease = await first.acquire('k');
    await bench.server.sql(EXPIRE);
    await second.acquire('k');
    await bench.server.sql(`UPDATE holdfast.locks_v1 SET token = ${lease.fencingToken}`);
    return await checked(copy.within(lease, await begin()));
  },

  async 'other token'(copy) {
    const { locks } = await bench.open();
    const { key, owner, fencingToken = 0n } = await locks.acquire('k');
    return await checked(
      copy.within({ key, owner, fencingToken: fencingToken - 1n }, await begin()),
    );
  },
};

/** What the right check comes to, and what the mistake does. */
const OUTCOMES: Readonly<Record<WithinMutant['scene'], readonly [right: string, wrong: string]>> = {
  renewal: ['renewed', 'not renewed'],
  takeover: ['kept', 'taken over'],
  'number twice': ['lost', 'passed'],
  'other token': ['lost', 'passed'],
};

describe.each(WITHIN_MUTANTS)('$name', ({ scene, ...change }) => {
  const [right, wrong] = OUTCOMES[scene];

  test(`${scene}: ${right}, as it should be`, async () => {
    expect(await SCENES[scene](RIGHT)).toBe(right);
  });

  test(`${scene}: ${wrong} with the mistake`, async () => {
    const copy = await importCopy<Copy>(copyOf(['postgres'], change.name, change), 'postgres');
    expect(await SCENES[scene](copy)).toBe(wrong);
  });
});
