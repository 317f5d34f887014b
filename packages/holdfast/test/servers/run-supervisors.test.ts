import { openLocks } from 'holdfast';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Proxy, RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { endAll, isAlive, kill, RunProcess } from './support/run-process.ts';

/** A margin of 150 ms to the end of the lease remains, for a busy machine. */
const TTL = ['--ttl', '3s', '--grace', '300ms'];
/** Prints its pid, that of its guardian, and that of a process that it no longer knows. */
const SAY_PIDS = '(sleep 1000 & echo "other $!"); echo "pids $$ $PPID"';
/** The processes that it starts ignore SIGTERM, too. */
const UNWILLING = ['sh', '-c', `trap "" TERM; ${SAY_PIDS}; exec sleep 1000`];
const STUBBORN = ['sh', '-c', `trap "echo term" TERM; ${SAY_PIDS}; while :; do sleep 1000; done`];

let redis: RedisServer;
let proxy: Proxy;
let pids: readonly number[] = [];
beforeAll(async () => {
  redis = await RedisServer.start();
});
beforeEach(async () => {
  pids = [];
  proxy = await Proxy.start(redis.port);
});
afterEach(async () => {
  endAll(pids);
  await proxy.close();
});
afterAll(() => redis.close());

interface Started {
  readonly run: RunProcess;
  readonly guardian: number;
  /** The processes of the command. */
  readonly command: readonly number[];
}

async function start(key: string, command: readonly string[]): Promise<Started> {
  const run = new RunProcess(proxy.url, key, command, { options: TTL });
  const [other = 0] = await run.hearsPids('other');
  const [pid = 0, guardian = 0] = await run.hearsPids('pids');
  pids = [other, pid, guardian];
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  return { run, guardian, command: [pid, other] };
}

/** Waits for the key as the next holder would, and looks who of them is alive then. */
async function aliveWhenNextHolds(key: string, those: readonly number[]): Promise<number[]> {
  await using locks = await openLocks(redis.url);
  return await locks.use(key, () => those.filter(isAlive), { waitMs: 60_000 });
}

describe('no process of a command that ignores SIGTERM is left when the next holder has the key', () => {
  test('whose holdfast run was killed', async () => {
    const key = 'run-killed';
    const { run, command: those } = await start(key, UNWILLING);
    run.signal('SIGKILL');

    expect(await aliveWhenNextHolds(key, those)).toEqual([]);
  });

  test('whose holdfast run was stopped', async () => {
    const key = 'run-stopped';
    const { run, command: those } = await start(key, UNWILLING);
    run.signal('SIGSTOP');

    expect(await aliveWhenNextHolds(key, those)).toEqual([]);
  });

  test('whose guardian was killed', async () => {
    const key = 'guardian-killed';
    const { run, guardian, command: those } = await start(key, UNWILLING);
    kill(guardian, 'SIGKILL');

    expect(await aliveWhenNextHolds(key, those)).toEqual([]);
    const { status, errors } = await run.ended;
    expect(status).toBe(70);
    expect(errors).toContain('the guardian process is gone');
  });

  test('whose guardian was stopped, and whose store was cut off then', async () => {
    const key = 'guardian-stopped';
    const { run, guardian, command: those } = await start(key, UNWILLING);
    kill(guardian, 'SIGSTOP');
    proxy.cut();

    expect(await aliveWhenNextHolds(key, those)).toEqual([]);
    expect((await run.ended).status).toBe(70);
    expect(isAlive(guardian)).toBe(false);
  });

  test('whose store was cut off', async () => {
    const key = 'cut-off';
    const { run, command: those } = await start(key, UNWILLING);
    proxy.cut();

    expect(await aliveWhenNextHolds(key, those)).toEqual([]);
    const { status, errors } = await run.ended;
    expect(status).toBe(70);
    expect(errors).toContain('could not be renewed in time');
  });

  test('whose server died', async () => {
    const server = await RedisServer.start();
    const run = new RunProcess(server.url, 'k', UNWILLING, { options: TTL });
    const [other = 0] = await run.hearsPids('other');
    const [pid = 0, guardian = 0] = await run.hearsPids('pids');
    pids = [other, pid, guardian];
    await server.end();

    expect((await run.ended).status).toBe(70);
    expect(pids.filter(isAlive)).toEqual([]);
    await server.close();
  });
});

test('a guardian that is killed while it ends the command is replaced', async () => {
  const { run, guardian, command } = await start('killed-killing', STUBBORN);
  proxy.cut();
  await run.hears('term');
  kill(guardian, 'SIGKILL');

  expect(await aliveWhenNextHolds('killed-killing', command)).toEqual([]);
  expect((await run.ended).status).toBe(70);
});
