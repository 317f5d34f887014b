import { systemRuntime } from '@holdfast/core/backend';
import { loadSqlParser, PostgresEngine, random } from '@holdfast/harness/simulator';
import { migration, type Row } from '@holdfast/postgres';
import { expect } from 'vitest';
import type { PostgresServer } from '../../../harness/test/kit/real-servers.ts';
import { openDatabase, statementsOf, tablesOf } from '../../../packages/postgres/test/kit.ts';

const KEY_LASTS = 25;
const LONG_MS = 60_000;
/** Longer than a lease that is to have expired. */
const PAUSE_MS = 2;
const STATEMENTS = statementsOf(tablesOf(), false);

/** What both must reply alike: of times and tokens, which depend on the clock, only what they mean. */
function comparable(rows: readonly Row[]): readonly object[] {
  return rows.map(({ token, remaining_ms: remaining, ...rest }) => ({
    ...rest,
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
  { operations, seed }: { readonly operations: number; readonly seed: string },
): Promise<ReadonlySet<string>> {
  await loadSqlParser();
  const runtime = systemRuntime();
  const database = await openDatabase(server.url, { runtime });
  let nowUs = runtime.now().wallMs * 1_000;
  const engine = new PostgresEngine({ nowUs: () => nowUs, schema: migration() });
  const source = random(seed);
  const pick = <T>(...from: readonly T[]): T => {
    const chosen = from[Math.floor(source.next() * from.length)];
    if (chosen === undefined) throw new Error('nothing to pick from');
    return chosen;
  };
  const kinds = new Set<string>();
  for (let at = 0; at < operations; at++) {
    // New ones now and then: a foreign value stays.
    const key = `${pick('a', 'ключ')} ${Math.floor(at / KEY_LASTS)}`;
    const owner = pick('c1:1:x', 'c1:2:x', 'c1:10:x', 'c2:1:y:z', 'foreign');
    const ttlMs = pick(1, LONG_MS);
    const [statement, args] = pick<readonly [keyof typeof STATEMENTS, (string | number)[]]>(
      ['acquire', ['ns', key, owner, ttlMs]],
      ['acquire', ['ns', key, owner, ttlMs]],
      ['renew', ['ns', key, owner, ttlMs]],
      ['adopt', ['ns', key, owner, ttlMs, pick('c1:1:x', 'c2:1:y:z')]],
      ['adopt', ['ns', key, owner, ttlMs, pick('c1:1:x', 'c2:1:y:z')]],
      ['release', ['ns', key, owner, 'payload']],
      ['force', ['ns', key, 'payload']],
      ['inspect', ['ns', key]],
      ['held', ['ns']],
      ['writeMark', ['ns', pick('m1', 'm2'), owner]],
      ['readMark', ['ns', pick('m1', 'm2', 'm3')]],
    );
    const where = `operation ${at}: ${statement} ${args.join(' ')}`;
    // What it replied, and what it left.
    for (const call of [
      { statement: STATEMENTS[statement], args },
      { statement: STATEMENTS.inspect, args: ['ns', key] },
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
