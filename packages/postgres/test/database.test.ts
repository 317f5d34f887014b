import { Network, World } from '@holdfast/harness/simulator';
import { loadSqlParser, SimPostgresServer, simPostgresDatabase } from '@holdfast/harness/stores';
import { expect, test } from 'vitest';
import { addressOf } from '../src/adapters/url.ts';
import { transactionText } from '../src/database/transaction.ts';
import type { PostgresDatabase } from '../src/port.ts';
import { migration, tablesOf } from '../src/schema.ts';
import { statementsOf } from '../src/statements.ts';

await loadSqlParser();

const CALL_MS = 1_000;
/** Longer than a connection without a reply is kept. */
const LONG_MS = 20_000;
const { acquire, release } = statementsOf(tablesOf(), false);

/** A process with one connection to a server, in virtual time. */
class Fixture {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly server: SimPostgresServer = new SimPostgresServer(this.world, 'pg', {
    schema: migration(),
  });
  readonly process = this.world.process('a');
  readonly database: PostgresDatabase = simPostgresDatabase(
    this.process,
    this.server,
    this.network,
    { connections: 1 },
  );

  /** Acquires a key of its own; resolves to the name of the error, or `granted`. */
  async acquire(key: string, callMs = CALL_MS): Promise<string> {
    const deadlineMs = this.process.runtime.now().monotonicMs + callMs;
    try {
      await this.database.run(acquire, ['ns', key, 'c:1:x', 60_000], { deadlineMs });
      return 'granted';
    } catch (error) {
      return error instanceof Error ? error.name : String(error);
    }
  }

  isStored(key: string): boolean {
    return this.server.engine.row('holdfast.locks_v1', 'ns', key) !== undefined;
  }
}

test('a call that gets no connection in time is unavailable and sends nothing, also when one is free later', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    await place.acquire('first');
    place.server.stop(3 * CALL_MS);

    expect(await Promise.all([place.acquire('a'), place.acquire('b')])).toEqual([
      'DatabaseDoubt',
      'DatabaseUnavailable',
    ]);
    await place.world.advance(LONG_MS);

    expect([place.isStored('a'), place.isStored('b')]).toEqual([true, false]);
  });
});

test('a call whose deadline has passed sends nothing, although a connection is free', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    await place.acquire('first');

    expect(await place.acquire('a', -1)).toBe('DatabaseUnavailable');
    expect(await place.acquire('b')).toBe('granted');
    expect(place.isStored('a')).toBe(false);
  });
});

test('a connection in doubt is taken until its late reply, and serves then', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    await place.acquire('first');
    place.server.stop(3 * CALL_MS);
    expect(await place.acquire('a')).toBe('DatabaseDoubt');
    expect(await place.acquire('b')).toBe('DatabaseUnavailable');
    await place.world.advance(2 * CALL_MS);

    expect(await place.acquire('c')).toBe('granted');
  });
});

test('a connection whose reply never comes is replaced', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    await place.acquire('first');
    const heal = place.network.rule(({ way, label }) =>
      way === 'reply' && label === 'acquire' ? 'drop' : 'pass',
    );
    expect(await place.acquire('a')).toBe('DatabaseDoubt');
    heal();
    expect(await place.acquire('b')).toBe('DatabaseUnavailable');
    await place.world.advance(LONG_MS);

    expect(await place.acquire('c')).toBe('granted');
  });
});

test('who listens learns of a gap when the server restarts, and may listen again', async () => {
  const place = new Fixture();
  const events: string[] = [];
  const listen = async (): Promise<void> => {
    const deadlineMs = place.process.runtime.now().monotonicMs + CALL_MS;
    // One connection is for transactions, and another one listens.
    await place.database.listen('holdfast_v1', ({ kind }) => events.push(kind), { deadlineMs });
  };
  await place.world.run(async () => {
    await listen();
    place.server.restart({ data: 'durable' });
    await place.world.advance(10);
    expect(events).toEqual(['gap']);
    await listen();
    await place.acquire('k');
    const deadlineMs = place.process.runtime.now().monotonicMs + CALL_MS;
    await place.database.run(release, ['ns', 'k', 'c:1:x', 'payload'], { deadlineMs });
    await place.world.advance(10);
    expect(events).toEqual(['gap', 'message']);
  });
});

test('names and owner values are sent as they are', () => {
  const text = transactionText(
    { name: 'x', sql: 'SELECT $1, $2' },
    ['orders/7', 'a:1:box 7\tb:2:box 7'],
    100,
  );

  expect(text.split(';\n').at(-1)).toBe("SELECT 'orders/7'::text, 'a:1:box 7\tb:2:box 7'::text");
});

test.each(["a'b", 'a\\b', 'é', 'a\nb', 'a"b', 'a;b', 'a$1'])(
  'the text %j is sent as hexadecimal digits',
  (given) => {
    const text = transactionText({ name: 'x', sql: 'SELECT $1' }, [given], 100);

    expect(text).toContain(`decode('${Buffer.from(given).toString('hex')}', 'hex')`);
    expect(text).not.toContain(given);
  },
);

test('no text can end a literal: what has other characters is sent as hexadecimal digits', () => {
  const text = transactionText(
    { name: 'x', sql: 'SELECT $1, $2, $1' },
    ["'); DROP TABLE locks; -- \\ é", 5],
    100,
  );

  expect(text).not.toContain('DROP');
  expect(text.split(';\n').at(-1)).toMatch(
    /^SELECT (convert_from\(decode\('[\da-f]+', 'hex'\), 'UTF8'\)), 5, \1$/,
  );
});

test.each([
  [1_000, 200, 750],
  [100, 50, 75],
  [0.5, 1, 1],
])(
  'with %d ms left a lock is waited for %d ms, a statement runs for %d ms',
  (leftMs, lock, run) => {
    const text = transactionText({ name: 'x', sql: 'SELECT' }, [], leftMs);

    expect(text).toContain(`SET LOCAL lock_timeout = ${lock};`);
    expect(text).toContain(`SET LOCAL statement_timeout = ${run};`);
  },
);

test.each([
  ['postgres://u:p@h:1/db', 'h:1/db'],
  ['postgresql://u:p@a,b:2/db?x=1', 'a:5432,b:2/db'],
  ['postgres:///db', 'localhost:5432/db'],
  [{ host: ['a', 'b'], port: [1, 2], database: 'db', pass: 'secret' }, 'a,b:1,2/db'],
  [{ connectionString: 'postgres://u:secret@h/db' }, 'h:5432/db'],
])('the address of %j is %s, without credentials', (target, address) => {
  expect(addressOf(target)).toBe(address);
});

test.each(['postgres://u:a/secret@h', 'postgres://u:secret?@h', 'redis://secret@h'])(
  '%s is refused, and nothing of it is shown',
  (url) => {
    expect(() => addressOf(url)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.not.stringContaining('secret') }),
    );
  },
);
