import { Network, World } from '@holdfast/harness/simulator';
import {
  loadSqlParser,
  SimPostgresServer,
  simPostgresClient,
  simPostgresDatabase,
} from '@holdfast/harness/stores';
import { expect, test } from 'vitest';
import type { PostgresDatabase } from '../../src/port.ts';
import { migration, tablesOf } from '../../src/schema.ts';
import { statementsOf } from '../../src/statements.ts';
import { within } from '../../src/within.ts';

await loadSqlParser();

const TTL_MS = 1_000;
const CALL_MS = 100;
const STATEMENTS = statementsOf(tablesOf(), false);
const INDEX = /CREATE UNIQUE INDEX[^;]*;/;
const CHECK =
  'SELECT token::text AS token FROM "holdfast"."locks_v1" WHERE namespace = $1 AND key = $2 AND owner = $3 AND token = $4::bigint';

type Client = Awaited<ReturnType<typeof simPostgresClient>>;

/** A holder whose lease expires while its own transaction is open, and another client that wants the key. */
class Fixture {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly server: SimPostgresServer;
  readonly process = this.world.process('a');
  readonly database: PostgresDatabase;

  constructor(schema: string = migration()) {
    this.server = new SimPostgresServer(this.world, 'pg', { schema });
    this.database = simPostgresDatabase(this.process, this.server, this.network);
  }

  /** Runs a statement of the recipe; resolves to its first row, or to the code of the error. */
  async run(name: 'acquire' | 'renew' | 'release', owner: string): Promise<unknown> {
    const deadlineMs = this.process.runtime.now().monotonicMs + CALL_MS;
    const last = name === 'release' ? 'payload' : TTL_MS;
    try {
      const args = ['holdfast', 'k', owner, last];
      return (await this.database.run(STATEMENTS[name], args, { deadlineMs })).rows[0];
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
  }

  /** Acquires as `a`, and opens a transaction that has checked the lease by `check`. */
  async checked(check: (client: Client, token: string) => Promise<unknown>): Promise<Client> {
    const row = await this.run('acquire', 'a:1:x');
    const client = await simPostgresClient(this.process, this.server, this.network);
    await client.query('BEGIN', []);
    await check(client, String(Reflect.get(Object(row), 'token')));
    return client;
  }
}

async function byWithin(client: Client, token: string): Promise<void> {
  await within({ key: 'k', owner: 'a:1:x', fencingToken: BigInt(token) }, client);
}

test('in the simulator, a transaction that has checked its lease keeps others from the key after its end, and lets renewals pass', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const client = await place.checked(byWithin);
    expect(await place.run('renew', 'a:1:x')).toMatchObject({ renewed: 'true' });
    expect(await place.run('release', 'a:1:x')).toBe('55P03');
    await place.world.advance(2 * TTL_MS);

    expect(await place.run('acquire', 'b:1:x')).toBe('55P03');

    await client.query('COMMIT', []);
    expect(await place.run('acquire', 'b:1:x')).toHaveProperty('token');
  });
});

test('without the unique index on the token a takeover goes through', async () => {
  const place = new Fixture(migration().replace(INDEX, ''));
  await place.world.run(async () => {
    await place.checked(byWithin);
    await place.world.advance(2 * TTL_MS);

    expect(await place.run('acquire', 'b:1:x')).toHaveProperty('token');
  });
});

test('FOR SHARE in place of FOR KEY SHARE blocks renewals', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    await place.checked((client, token) =>
      client.query(`${CHECK} FOR SHARE`, ['holdfast', 'k', 'a:1:x', token]),
    );

    expect(await place.run('renew', 'a:1:x')).toBe('55P03');
  });
});

test('a check that locks no row lets a takeover through', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    await place.checked((client, token) => client.query(CHECK, ['holdfast', 'k', 'a:1:x', token]));
    await place.world.advance(2 * TTL_MS);

    expect(await place.run('acquire', 'b:1:x')).toHaveProperty('token');
  });
});

test('a lease that another client has taken over is refused inside the transaction', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    await place.run('acquire', 'a:1:x');
    await place.world.advance(2 * TTL_MS);
    await place.run('acquire', 'b:1:x');
    const client = await simPostgresClient(place.process, place.server, place.network);
    await client.query('BEGIN', []);

    await expect(byWithin(client, '1')).rejects.toThrow('is not held any more');
  });
});

test('without BEGIN there is no transaction that could keep the lease', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const row = await place.run('acquire', 'a:1:x');
    const client = await simPostgresClient(place.process, place.server, place.network);
    const token = String(Reflect.get(Object(row), 'token'));

    await expect(byWithin(client, token)).rejects.toThrow('needs an open transaction');
  });
});

test('what a server does not simulate throws, and does not guess', async () => {
  const place = new Fixture();
  const run = (sql: string) => () =>
    place.server.engine.execute({ statement: { name: 'x', sql }, args: [] });

  for (const sql of ['TRUNCATE holdfast.locks_v1', 'SELECT pg_sleep(1)', 'SELECT 1 ORDER BY 1'])
    expect(run(sql), sql).toThrow('the simulated PostgreSQL has no');
});
