import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from '@holdfast/zk-client';
import { afterAll, afterEach, expect, test } from 'vitest';
import { opener } from '../../src/lab/clients/open-locks-of.ts';
import { LabRedis } from '../../src/lab/servers/lab-redis.ts';
import { compileShim, ShiftedClock } from '../../src/processes/clock-shim.ts';
import { createServerFactory } from '../../src/real/server-factory.ts';
import { ZooKeeperServer } from '../../src/servers/zookeeper/real/zookeeper-server.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 120_000;
/** Far beyond what a busy machine takes between two looks at a clock. */
const JUMP_MS = 3_600_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const folder = mkdtempSync(join(tmpdir(), 'holdfast-clock-'));
afterAll(() => rmSync(folder, { recursive: true }));
const shim = await compileShim(folder);

/** In hours: whose clock it is shows in nothing smaller. */
function hoursAhead(wallMs: number): number {
  return Math.round((wallMs - Date.now()) / JUMP_MS);
}

// Without a C compiler no clock is shifted, and the laboratory says so.
test.runIf(shim !== undefined)(
  'the clock of a Redis jumps ahead, and back',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const redis = await LabRedis.start(createServerFactory(process.env, opener), { shim });
    closing.push(() => redis.close());
    const ahead = async (): Promise<number> => {
      const time = await redis.command('TIME');
      return hoursAhead(Number(Array.isArray(time) ? time[0] : Number.NaN) * 1_000);
    };

    expect(await ahead()).toBeCloseTo(0);
    await redis.jump(JUMP_MS);
    expect(await ahead()).toBeCloseTo(1);
    await redis.jump(-JUMP_MS);
    expect(await ahead()).toBeCloseTo(-1);
  },
);

test('without a C compiler leases end sooner by as much, which is all that a jump ahead does to them', {
  timeout: LIMIT_MS,
}, async () => {
  const redis = await LabRedis.start(createServerFactory(process.env, opener), {});
  closing.push(() => redis.close());
  await redis.command('SET', 'held', 'a', 'PX', `${2 * JUMP_MS}`);
  await redis.command('SET', 'over', 'a', 'PX', `${JUMP_MS / 2}`);
  await redis.command('SET', 'for-ever', 'a');

  await redis.jump(JUMP_MS);

  const left = Number(await redis.command('PTTL', 'held'));
  expect(Math.round(left / JUMP_MS)).toBe(1);
  await expect.poll(() => redis.command('EXISTS', 'over')).toBe(0);
  expect(await redis.command('PTTL', 'for-ever')).toBe(-1);
  await expect(redis.jump(-JUMP_MS)).rejects.toThrow('without a C compiler');
});

test.runIf(shim !== undefined)(
  'the clock of a ZooKeeper server jumps, too, though no lock hangs on it',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const clock = new ShiftedClock(shim ?? '', folder, 'zookeeper');
    const server = await ZooKeeperServer.start({ through: ['env', ...clock.environment] });
    closing.push(() => server.close());
    const session = await Session.open({ servers: [server.address] });
    closing.push(() => session.close());
    const ahead = async (path: string): Promise<number> => {
      await session.create(path, '');
      const { stat } = await session.getData(path);
      return hoursAhead(Number(stat.ctimeMs));
    };

    expect(await ahead('/before')).toBeCloseTo(0);
    clock.set(JUMP_MS);
    expect(await ahead('/ahead')).toBeCloseTo(1);
    clock.set(-JUMP_MS);
    expect(await ahead('/back')).toBeCloseTo(-1);
  },
);
