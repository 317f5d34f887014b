import { Network, World } from '@holdfast/harness/simulator';
import {
  loadSqlParser,
  SimPostgresServer,
  simPostgresClient,
  simPostgresDatabase,
} from '@holdfast/harness/stores';
import type { migration, within } from '@holdfast/postgres';
import { describe, expect, test } from 'vitest';
import { statementsOf, tablesOf } from '../../packages/postgres/test/kit.ts';
import { importCopy } from '../mutation/copies.ts';
import { WITHIN_MUTANTS, type WithinMutant } from './mutants/within.ts';
import { copyOf } from './mutate.ts';

/** The right package, or one with a mistake. */
interface Copy {
  readonly within: typeof within;
  readonly migration: typeof migration;
}

type Client = Awaited<ReturnType<typeof simPostgresClient>>;

const TTL_MS = 1_000;
const CALL_MS = 100;
const STATEMENTS = statementsOf(tablesOf(), false);
const A = 'a:1:x';
const B = 'b:1:x';
/** SQLSTATE of a row that another transaction keeps locked. */
const LOCKED = '55P03';

await loadSqlParser();

/** A server with the tables of a copy, and a holder with a transaction of its own. */
class Scene {
  readonly world: World = new World({ trace: false });
  readonly #copy: Copy;
  readonly #network: Network = new Network(this.world, { latencyMs: 1 });
  readonly #process = this.world.process('a');
  readonly #server: SimPostgresServer;

  constructor(copy: Copy) {
    this.#copy = copy;
    this.#server = new SimPostgresServer(this.world, 'pg', { schema: copy.migration() });
  }

  /** Resolves to the token, to `renewed`, or to the code of the error. */
  async run(name: 'acquire' | 'renew', owner: string): Promise<string> {
    const database = simPostgresDatabase(this.#process, this.#server, this.#network);
    const deadlineMs = this.#process.runtime.now().monotonicMs + CALL_MS;
    const args = ['holdfast', 'k', owner, TTL_MS];
    try {
      const [row] = (await database.run(STATEMENTS[name], args, { deadlineMs })).rows;
      return row?.['token'] ?? (row?.['renewed'] === 'true' ? 'renewed' : 'refused');
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  }

  async begin(): Promise<Client> {
    const client = await simPostgresClient(this.#process, this.#server, this.#network);
    await client.query('BEGIN', []);
    return client;
  }

  /** Says if A's check passes. */
  async check(client: Client, token: bigint): Promise<'passed' | 'lost'> {
    try {
      await this.#copy.within({ key: 'k', owner: A, fencingToken: token }, client);
      return 'passed';
    } catch (error) {
      if (error instanceof Error && error.name === 'LockLostError') return 'lost';
      throw error;
    }
  }
}

const SCENES: Readonly<Record<WithinMutant['scene'], (scene: Scene) => Promise<string>>> = {
  async renewal(scene) {
    const token = await scene.run('acquire', A);
    await scene.check(await scene.begin(), BigInt(token));
    return await scene.run('renew', A);
  },

  async takeover(scene) {
    const token = await scene.run('acquire', A);
    await scene.check(await scene.begin(), BigInt(token));
    await scene.world.advance(2 * TTL_MS);
    return (await scene.run('acquire', B)) === LOCKED ? LOCKED : 'taken over';
  },

  async 'number twice'(scene) {
    const token = await scene.run('acquire', A);
    await scene.world.advance(2 * TTL_MS);
    await scene.run('acquire', B);
    const client = await scene.begin();
    await client.query('UPDATE holdfast.locks_v1 SET token = $1::bigint', [token]);
    return await scene.check(client, BigInt(token));
  },

  async 'other token'(scene) {
    const token = await scene.run('acquire', A);
    return await scene.check(await scene.begin(), BigInt(token) - 1n);
  },
};

const OUTCOMES: Readonly<Record<WithinMutant['scene'], readonly [right: string, wrong: string]>> = {
  renewal: ['renewed', LOCKED],
  takeover: [LOCKED, 'taken over'],
  'number twice': ['lost', 'passed'],
  'other token': ['lost', 'passed'],
};

async function outcome(scene: WithinMutant['scene'], copy: Copy): Promise<string> {
  const played = new Scene(copy);
  return await played.world.run(() => SCENES[scene](played));
}

const RIGHT = await importCopy<Copy>(copyOf(['postgres'], 'right-within'), 'postgres');

describe.each(WITHIN_MUTANTS)('$name', ({ scene, ...change }) => {
  const [right, wrong] = OUTCOMES[scene];

  test(`${scene}, in the simulator: ${right}, and ${wrong} with the mistake`, async () => {
    const copy = await importCopy<Copy>(copyOf(['postgres'], change.name, change), 'postgres');

    expect(await outcome(scene, RIGHT)).toBe(right);
    expect(await outcome(scene, copy)).toBe(wrong);
  });
});
