import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPgBouncer, PgBouncer } from '../../../../harness/test/kit/real-servers.ts';
import { Bench } from '../kit.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await Bench.start();
});
afterAll(() => bench.close());

/** Two processes take turns through a pooler; resolves to the codes of the warnings. */
async function turns(mode: 'transaction' | 'session'): Promise<readonly string[]> {
  const pooler = await PgBouncer.start(bench.server, { mode });
  try {
    const { locks } = await bench.open({ source: pooler.url });
    const { locks: others, events } = await bench.open({ source: pooler.url });
    const lease = await locks.acquire('k');
    const waiting = others.acquire('k');
    await expect.poll(() => events.map(({ type }) => type), { interval: 5 }).toContain('contended');
    await lease.release();
    await expect(waiting).resolves.toMatchObject({ key: 'k' });
    return events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
  } finally {
    await bench.clear();
    await pooler.close();
  }
}

test.skipIf(findPgBouncer() === undefined)(
  'behind a transaction pooler waiters poll, which is reported; behind a session pooler they are notified',
  async () => {
    expect(await turns('transaction')).toContain('transaction-pooler');
    expect(await turns('session')).not.toContain('transaction-pooler');
  },
);
