import { createHost } from '@holdfast/core/backend';
import { World } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { AdvisoryContender } from '../src/advisory/contender.ts';
import { Sessions } from '../src/advisory/sessions.ts';
import { OPEN } from '../src/advisory/statements.ts';
import {
  type Argument,
  DatabaseDoubt,
  type DatabaseSession,
  type PostgresDatabase,
  type Reply,
  type Statement,
} from '../src/port.ts';

const TTL_MS = 1_000;

/** A connection that breaks under its second request, and whose end is reported later than that. */
class SlowToEnd implements DatabaseSession {
  #runs = 0;

  async run(_: object, [mark]: readonly Argument[]): Promise<Reply> {
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

/** A session on which another session's lock is in the way. */
class Locked extends SlowToEnd {
  override async run({ name }: Statement, args: readonly Argument[]): Promise<Reply> {
    if (name === OPEN.name) return await super.run({}, args);
    const row = { owner: null, is_own: 'true', is_standby: 'false' };
    return { rows: [row], sentAt: { monotonicMs: 0, wallMs: 0 } };
  }
}

/** A contender whose sessions are opened by `open`. */
function contenderOn(world: World, open: () => DatabaseSession): AdvisoryContender {
  const { runtime } = world.process('a');
  const host = createHost({ label: 'a', runtime });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a session needs no more of its database
  const database = {
    address: 'pg',
    openSession: async () => open(),
  } as unknown as PostgresDatabase;
  const sessions = new Sessions({ database, host, ttlMs: TTL_MS });
  const store = { database, host, namespace: 'holdfast', ttlMs: TTL_MS, sessions };
  return new AdvisoryContender(store, { key: 'k', contender: 'c1' });
}

test('a withdrawal is in doubt after a connection broke, even before its end is reported', async () => {
  const world = new World({ trace: false });
  const contender = contenderOn(world, () => new SlowToEnd());
  await world.run(async () => {
    expect(await contender.attempt(Number.MAX_SAFE_INTEGER)).toMatchObject({ kind: 'unknown' });

    expect(await contender.withdraw()).toEqual({ kind: 'unknown', untilMs: 2 * TTL_MS });
  });
});

test('a key that is locked after a connection broke is in doubt, until the server has ended the session', async () => {
  const world = new World({ trace: false });
  const opened: DatabaseSession[] = [];
  const contender = contenderOn(world, () => {
    const session = opened.length === 0 ? new SlowToEnd() : new Locked();
    opened.push(session);
    return session;
  });
  await world.run(async () => {
    await contender.attempt(Number.MAX_SAFE_INTEGER);

    expect(await contender.attempt(Number.MAX_SAFE_INTEGER)).toMatchObject({ kind: 'unknown' });
    await world.advance(3 * TTL_MS);
    expect(await contender.attempt(Number.MAX_SAFE_INTEGER)).toEqual({ kind: 'busy' });
  });
});
