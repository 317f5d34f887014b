import { afterEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../harness/test/kit/real-servers.ts';
import { npm, redisPy } from '../../servers/support/neighbour-process.ts';
import { RUN_MS, runBeside, summaryOf } from './support/neighbours/run.ts';

const TTL_MS = 2_000;
const timeout = RUN_MS + 180_000;
/** Every client gets its turn in a run, also beside the slowest. */
const GRANTS_MIN = RUN_MS / 5_000;

const servers: RedisServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** The name, the command, and the key of ours for the key `orders` of theirs. */
const ON_ONE: readonly (readonly [string, string | undefined, string])[] = [
  ['redlock 5', npm('redlock.mjs'), 'orders'],
  ['redis-semaphore', npm('redis-semaphore.mjs'), 'mutex:orders'],
  ['Verrou', npm('verrou.mjs'), 'orders'],
  ['redis-py', redisPy('', TTL_MS)?.command, 'orders'],
];

interface Beside extends Record<'command' | 'key' | 'backend', string> {
  readonly size: number;
  readonly runMs?: number;
}

async function beside(
  name: string,
  { command, key, backend, size, runMs = RUN_MS }: Beside,
): Promise<Awaited<ReturnType<typeof runBeside>>> {
  for (let i = 0; i < size; i++) servers.push(await RedisServer.start());
  const outcome = await runBeside({
    ours: { name: 'ours', command: npm('holdfast.mjs', backend, 'plain'), key },
    theirs: { name, command, key: 'orders' },
    ports: servers.map(({ port }) => port),
    ttlMs: TTL_MS,
    runMs,
  });
  console.info(summaryOf(`${name} on ${size}`, outcome));
  return outcome;
}

describe('beside ours, while clients die, are cut off and get no replies', () => {
  test.each(ON_ONE.filter(([, command]) => command !== undefined))(
    '%s on one server loses no update',
    { timeout },
    async (name, command = '', key = '') => {
      const outcome = await beside(name, { command, key, backend: 'redis-simple', size: 1 });

      expect(outcome.violations).toEqual([]);
      expect(outcome.grants['ours']).toBeGreaterThan(GRANTS_MIN);
      expect(outcome.grants[name]).toBeGreaterThan(GRANTS_MIN);
    },
  );

  test('two who lock different keys are noticed, by the counter and inside', async () => {
    const at = { command: npm('redlock.mjs'), key: 'others', backend: 'redis-simple', size: 1 };
    const { violations } = await beside('redlock 5', { ...at, runMs: 5_000 });

    expect(violations).toContainEqual(expect.stringMatching(/^(ours|redlock 5) \d wrote \d+ over/));
    expect(violations).toContainEqual(expect.stringMatching(/ was granted while /));
  });

  test.each([
    ['redlock 5', 'redlock.mjs', 'orders'],
    ['redis-semaphore RedlockMutex', 'redis-semaphore.mjs', 'mutex:orders'],
  ])('%s on three servers loses no update', { timeout }, async (name, file, key) => {
    const outcome = await beside(name, { command: npm(file), key, backend: 'redlock', size: 3 });

    expect(outcome.violations).toEqual([]);
    expect(outcome.grants['ours']).toBeGreaterThan(GRANTS_MIN);
    expect(outcome.grants[name]).toBeGreaterThan(GRANTS_MIN);
  });
});
