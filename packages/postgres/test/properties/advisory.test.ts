import { createHost, createLocks } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { loadSqlParser, SimPostgresServer, simPostgresDatabase } from '@holdfast/harness/stores';
import { migration, openPostgresAdvisory } from '@holdfast/postgres';
import { expect, test } from 'vitest';

const TTL_MS = 1_000;

await loadSqlParser();

/** A server, and what opens locks on it as one process. */
function serverIn(world: World, isPooled = false) {
  const network = new Network(world, { latencyMs: 1 });
  const server = new SimPostgresServer(world, 'pg', { schema: migration(), isPooled });
  const open = async (process: SimProcess) => {
    const database = simPostgresDatabase(process, server, network);
    const host = createHost({ runtime: process.runtime, label: process.name });
    return createLocks(await openPostgresAdvisory({ database, ttlMs: TTL_MS }, host), host);
  };
  return { network, server, open };
}

test('behind a pooler that shares sessions opening is refused, and nothing is locked', async () => {
  const world = new World();
  const { server, open } = serverIn(world, true);
  await world.run(async () => {
    await expect(open(world.process('a'))).rejects.toMatchObject({ code: 'CONFIG' });
  });

  expect(server.engine.advisoryLocks.holds).toEqual([]);
});

test('a lock that was acquired after the deadline is released before anything else is sent', async () => {
  const world = new World();
  const { network, server, open } = serverIn(world);
  const a = world.process('a');
  await world.run(async () => {
    const locks = await open(a);
    const slow = network.rule(({ to, way }) =>
      to === 'a' && way === 'reply' ? { delayMs: TTL_MS / 2 } : 'pass',
    );
    await expect(locks.acquire('k', { waitMs: 0 })).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
    slow();
    await expect(locks.acquire('other')).resolves.toMatchObject({ key: 'other' });
  });

  expect(server.engine.advisoryLocks.holds).toHaveLength(1);
});
