import { systemRuntime } from '@holdfast/core/backend';
import { random } from '@holdfast/harness/simulator';
import { loadSqlParser, PostgresEngine } from '@holdfast/harness/stores';
import { type Argument, migration, type Row, type Statement } from '@holdfast/postgres';
import { expect } from 'vitest';
import type { PostgresServer } from '../../../harness/test/kit/real-servers.ts';
import {
  modeStatementsOf,
  openDatabase,
  statementsOf,
  tablesOf,
} from '../../../packages/postgres/test/kit.ts';

const KEY_LASTS = 25;
/** Longer than the longest run: the clocks are not compared. */
const LONG_MS = 3_600_000;
/** Longer than a lease that is to have expired. */
const PAUSE_MS = 2;
const STATEMENTS = statementsOf(tablesOf(), false);
const MODES = modeStatementsOf(tablesOf(), false);
/** All that is stored about who holds a key beside others, and who waits. */
const MEMBERS: Statement = {
  name: 'members',
  sql: `SELECT contender, attempt::text AS attempt, owner, mode, permits::text AS permits, out_of::text AS out_of, place::text AS place
FROM ${tablesOf().members} WHERE namespace = $1 AND key = $2`,
};

type Pick = <T>(...from: readonly T[]) => T;
type Operation = readonly [Statement, readonly Argument[]];

/** Of exclusive holders, and of those who ask about them. */
function exclusive(pick: Pick, key: string): Operation {
  const owner = pick('c1:1:x', 'c1:2:x', 'c1:10:x', 'c2:1:y:z', 'foreign');
  const ttlMs = pick(1, LONG_MS);
  return pick<Operation>(
    [STATEMENTS.acquire, ['ns', key, owner, ttlMs]],
    [STATEMENTS.acquire, ['ns', key, owner, ttlMs]],
    [STATEMENTS.renew, ['ns', key, owner, ttlMs]],
    [STATEMENTS.adopt, ['ns', key, owner, ttlMs, pick('c1:1:x', 'c2:1:y:z')]],
    [STATEMENTS.adopt, ['ns', key, owner, ttlMs, pick('c1:1:x', 'c2:1:y:z')]],
    [STATEMENTS.release, ['ns', key, owner, 'payload']],
    [STATEMENTS.force, ['ns', key, 'payload']],
    [STATEMENTS.inspect, ['ns', key]],
    [STATEMENTS.held, ['ns']],
    [STATEMENTS.writeMark, ['ns', pick('m1', 'm2'), owner]],
    [STATEMENTS.readMark, ['ns', pick('m1', 'm2', 'm3')]],
  );
}

/** Of readers, writers and holders of permits, beside those of exclusive ones. */
function inModes(pick: Pick, key: string): Operation {
  const all = ['c1', 'c2', 'c3', 'c4', 'c5'];
  const at = pick(...all.keys());
  const contender = all[at] ?? '';
  const owner = `${contender}:${pick(1, 1, 2, 10)}:x`;
  const [second, third] = [1, 2].map((next) => `${all[(at + next) % all.length]}:1:x`);
  const owners = pick(owner, owner, `${owner}\t${second}`, `${third}\t${owner}\t${second}`);
  const ttlMs = pick(1, LONG_MS, LONG_MS);
  const acquire = (kind: 'shared' | 'exclusive' | 'permits', ...share: number[]): Operation => [
    pick(MODES.acquire, MODES.acquireUncalled)[kind],
    [
      'ns',
      key,
      kind === 'exclusive' ? owner : owners,
      ttlMs,
      'x',
      ...share,
      pick(1, LONG_MS),
      'prefix ',
      'p',
      // Only permits are given back by the same message.
      kind === 'permits' ? pick('', `${second}`, `${third}\t${owner}`) : '',
    ],
  ];
  const ended = (holds: string): readonly Argument[] => ['ns', key, holds, 'payload', 'prefix '];
  return pick<Operation>(
    // A key is mostly used as one kind of lock.
    ...(key.startsWith('a')
      ? [acquire('shared', 0, 1), acquire('shared', 0, 1), acquire('exclusive', 1, 1)]
      : [acquire('permits', 1, 3), acquire('permits', 2, 3), acquire('permits', 1, 2)]),
    pick(acquire('shared', 0, 1), acquire('exclusive', 1, 1), acquire('permits', 1, 3)),
    [
      MODES.downgrade,
      ['ns', key, owner, ttlMs, 'x', 0, 1, 0, 'prefix ', 'p', `${pick('c1', 'c2')}:1:x`],
    ],
    [MODES.keep, ['ns', key, contender, pick(1, LONG_MS)]],
    [MODES.renew, ['ns', key, owners, ttlMs]],
    [MODES.renew, ['ns', key, owners, ttlMs]],
    [MODES.release, ended(owners)],
    [MODES.release, ended(owners)],
    [MODES.releaseWriter, ended(owner)],
    [MODES.leave, ended(contender)],
    exclusive(pick, key),
  );
}

/** What both must reply alike: of times and tokens, which depend on the clock, only what they mean. */
function comparable(rows: readonly Row[]): readonly object[] {
  return rows.map(({ token, remaining_ms: remaining, granted, renewed, ...rest }) => ({
    ...rest,
    // In no order.
    ...(granted != null && { granted: granted.split('\t').toSorted() }),
    ...(renewed != null && { renewed: renewed.split('\t').toSorted() }),
    isLong: remaining == null ? remaining : Number(remaining) > LONG_MS / 2,
    hasToken: token != null,
  }));
}

/** Neither names of columns nor rows of a list have an order. */
function sorted(list: readonly object[]): readonly string[] {
  return list
    .map((each) => JSON.stringify(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .toSorted();
}

/**
 * Sends random operations to a simulated server and to a real one, and expects the same outcome of each.
 * @returns the kinds of outcomes that came up: a statement, and its number of rows
 */
export async function compareServers(
  server: PostgresServer,
  {
    operations,
    seed,
    modes = false,
  }: { readonly operations: number; readonly seed: string; readonly modes?: boolean },
): Promise<ReadonlySet<string>> {
  await loadSqlParser();
  const runtime = systemRuntime();
  const database = await openDatabase(server.url, { runtime });
  let nowUs = runtime.now().wallMs * 1_000;
  const engine = new PostgresEngine({ nowUs: () => nowUs, schema: migration() });
  const source = random(seed);
  const pick: Pick = (...from) => {
    const chosen = from[Math.floor(source.next() * from.length)];
    if (chosen === undefined) throw new Error('nothing to pick from');
    return chosen;
  };
  const kinds = new Set<string>();
  for (let at = 0; at < operations; at++) {
    // New ones now and then: a foreign value stays.
    const key = `${pick('a', 'ключ')} ${Math.floor(at / KEY_LASTS)}`;
    const [statement, args] = modes ? inModes(pick, key) : exclusive(pick, key);
    const where = `operation ${at}: ${statement.name} ${args.join(' ')}`;
    // What it replied, and what it left.
    for (const call of [
      { statement, args },
      { statement: STATEMENTS.inspect, args: ['ns', key] },
      ...(modes ? [{ statement: MEMBERS, args: ['ns', key] }] : []),
    ]) {
      const deadlineMs = runtime.now().monotonicMs + 2_000;
      const { rows } = await database.run(call.statement, call.args, { deadlineMs });
      expect(sorted(comparable(engine.execute(call))), where).toEqual(sorted(comparable(rows)));
      kinds.add(`${call.statement.name} ${rows.length}`);
    }
    nowUs += PAUSE_MS * 1_000;
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  await database.close();
  return kinds;
}
