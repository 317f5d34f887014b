import { createHost } from '@holdfast/core/backend';
import { World } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { AdvisoryContender } from '../src/advisory/contender.ts';
import { Sessions } from '../src/advisory/sessions.ts';
import {
  type Argument,
  DatabaseDoubt,
  type DatabaseSession,
  type PostgresDatabase,
  type Reply,
} from '../src/port.ts';

const TTL_MS = 1_000;

/** A connection that breaks under its second request, and whose end is reported later than that. */
class SlowToEnd implements DatabaseSession {
  #runs = 0;

  async run(_: unknown, [mark]: readonly Argument[]): Promise<Reply> {
    this.#runs += 1;
    if (this.#runs > 1) throw new DatabaseDoubt('pg: the connection was reset');
    return { rows: [{ mark: `${mark}` }], sentAt: { monotonicMs: 0, wallMs: 0 } };
  }

  onEnd(): void {
    // Not before the test is over.
  }

  close(): void {
    // Nothing to end.
  }
}

test('a withdrawal is in doubt after a connection broke, even before its end is reported', async () => {
  const world = new World({ trace: false });
  const { runtime } = world.process('a');
  const host = createHost({ label: 'a', runtime });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a session needs no more of its database
  const database = {
    address: 'pg',
    openSession: async () => new SlowToEnd(),
  } as unknown as PostgresDatabase;
  const sessions = new Sessions({ database, host, ttlMs: TTL_MS });
  const store = { database, host, namespace: 'holdfast', ttlMs: TTL_MS, sessions };
  const contender = new AdvisoryContender(store, { key: 'k', contender: 'c1' });
  await world.run(async () => {
    expect(await contender.attempt(Number.MAX_SAFE_INTEGER)).toMatchObject({ kind: 'unknown' });

    expect(await contender.withdraw()).toEqual({ kind: 'unknown', untilMs: 2 * TTL_MS });
  });
});
