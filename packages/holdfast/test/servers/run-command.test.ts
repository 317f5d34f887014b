import { type Lease, type Locks, openLocks } from 'holdfast';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Proxy, RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { endAll, Gate, isAlive, type RunOptions, RunProcess } from './support/run-process.ts';

let redis: RedisServer;
let client: Redis;
let locks: Locks;
beforeAll(async () => {
  redis = await RedisServer.start();
  client = new Redis(redis.url);
  locks = await openLocks(redis.url);
});
afterEach(() => endAll());
afterAll(async () => {
  client.disconnect();
  await locks.close();
  await redis.close();
});

function run(key: string, command: readonly string[], options: string[] = []): RunProcess {
  return new RunProcess(redis.url, key, command, { options });
}

const sh = (script: string, ...args: string[]): string[] => ['sh', '-c', script, ...args];

/** True if the key is free; takes it for a moment. */
async function isFree(key: string): Promise<boolean> {
  const lease = await locks.tryAcquire(key);
  await lease?.release();
  return lease !== null;
}

describe('a command under a lock', () => {
  test('gets key and token, holds the key, and its status is that of holdfast run', async () => {
    using gate = new Gate();
    const script = 'echo "in $HOLDFAST_KEY $HOLDFAST_TOKEN"; read -r go < "$0"; exit 7';
    const env: RunOptions = { env: { HOLDFAST_TOKEN: 'of an outer run' } };
    const running = new RunProcess(redis.url, 'k', sh(script, gate.path), env);
    const [, key, token] = (await running.hears('in')).split(' ');
    const { held, fencingToken } = await locks.inspect('k');
    expect([key, token, held]).toEqual(['k', `${fencingToken}`, true]);
    await gate.open();

    expect(await running.ended).toEqual({ status: 7, errors: '' });
    expect(await isFree('k')).toBe(true);
  });

  test.each([
    ['is ended by a signal', sh('kill -KILL $$'), 137],
    ['does not exist', ['./no-such-command'], 127],
    ['may not be executed', ['/etc/passwd'], 126],
  ])('has a status as in a shell if it %s', async (_how, command, status) => {
    const { status: ended, errors } = await new RunProcess('memory:', 'k', command).ended;
    expect(ended).toBe(status);
    expect(errors).toContain('memory keeps no other process out');
  });

  test('keeps the key until the processes that it leaves behind have ended', async () => {
    using gate = new Gate();
    const running = run('left', sh('(read -r go < "$0") & echo "pids $! $$"; exit 5', gate.path));
    const [left = 0, command = 0] = await running.hearsPids('pids');
    await expect.poll(() => isAlive(command)).toBe(false);

    expect(isAlive(left)).toBe(true);
    expect(await isFree('left')).toBe(false);
    await gate.open();
    expect((await running.ended).status).toBe(5);
    expect(await isFree('left')).toBe(true);
  });

  test('gets all signals that holdfast run gets', async () => {
    using gate = new Gate();
    const names = ['HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'TERM'] as const;
    const traps = names.map((name) => `trap "echo got-${name}" ${name}`).join('; ');
    const running = run(
      'signals',
      sh(`${traps}; echo in; until read -r go < "$0"; do :; done`, gate.path),
    );
    await running.hears('in');
    for (const name of names) {
      running.signal(`SIG${name}`);
      await running.hears(`got-${name}`);
    }
    await gate.open();

    expect((await running.ended).status).toBe(0);
  });

  test('that dies of a signal that was passed to it has its status, also while it is waited for', async () => {
    const running = run('dies', sh('echo in; exec sleep 1000'));
    await running.hears('in');
    const waiting = run('dies', ['echo', 'ran'], ['--wait', 'forever']);
    await expect.poll(waitingClients).toBeGreaterThan(0);
    waiting.signal('SIGTERM');
    expect(await waiting.ended).toEqual({ status: 143, errors: '' });
    expect(waiting.said).toEqual([]);
    running.signal('SIGINT');

    expect((await running.ended).status).toBe(130);
    expect(await isFree('dies')).toBe(true);
  });

  test('runs on through ten renewals with the longest grace', async () => {
    using gate = new Gate();
    const options = ['--ttl', '1500ms', '--grace', '416ms'];
    const running = run('healthy', sh('echo in; read -r go < "$0"', gate.path), options);
    await running.hears('in');
    const before = await renewals();
    await expect.poll(renewals, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + 10);
    await gate.open();

    expect(await running.ended).toEqual({ status: 0, errors: '' });
  });
});

/** The number of clients that wait for a notification. */
async function waitingClients(): Promise<number> {
  const sharded = await client.pubsub('SHARDCHANNELS').catch(() => []);
  return sharded.length + (await client.pubsub('CHANNELS')).length;
}

async function renewals(): Promise<number> {
  const stats = await client.info('commandstats');
  return Number(/cmdstat_pexpire:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

describe('a key that another client holds', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await locks.acquire('busy');
  });

  test.each([
    [['--no-wait'], 75],
    [['--no-wait', '--busy-status', '0'], 0],
    [['--keep', '1s'], 75],
  ])('%j ends with status %i, and runs nothing', async (options, status) => {
    const running = run('busy', ['echo', 'ran'], options);
    const { status: ended, errors } = await running.ended;

    expect(ended).toBe(status);
    expect(errors).toContain('locked');
    expect(running.said).toEqual([]);
  });

  test('is told by the exit status also where no error can be written', async () => {
    const options = { options: ['--no-wait'], isUnheard: true };
    const running = new RunProcess(redis.url, 'busy', ['echo', 'ran'], options);

    expect(await running.ended).toEqual({ status: 75, errors: '' });
  });

  test('is waited for', async () => {
    const waiting = run('busy', ['echo', 'ran'], ['--wait', '1m']);
    await expect.poll(waitingClients).toBeGreaterThan(0);
    expect(waiting.said).toEqual([]);
    await lease.release();

    expect((await waiting.ended).status).toBe(0);
    expect(waiting.said).toEqual(['ran']);
  });
});

describe('--keep', () => {
  test('keeps the key after success', async () => {
    expect((await run('kept', ['true'], ['--keep', '60s', '--ttl', '5s']).ended).status).toBe(0);

    const { remainingMs = 0 } = await locks.inspect('kept');
    expect(remainingMs).toBeGreaterThan(5_000);
    expect(remainingMs).toBeLessThan(62_000);
  });

  test('releases after a failure', async () => {
    expect((await run('failed', ['false'], ['--keep', '60s']).ended).status).toBe(1);
    expect(await isFree('failed')).toBe(true);
  });
});

describe('a lock that is taken away', () => {
  test('ends the command, and --again runs it under the next one', async () => {
    using gate = new Gate();
    const script = 'if [ -e "$0.ran" ]; then exit 3; fi; echo > "$0.ran"; echo in; exec sleep 1000';
    const running = run('taken', sh(script, gate.path), ['--again', '--ttl', '3s']);
    await running.hears('in');
    await locks.forceRelease('taken');

    const { status, errors } = await running.ended;
    expect(status).toBe(3);
    expect(errors).toContain('the store no longer has it; the command was ended, by SIGTERM');
  });

  test('is not taken for success where the command has ended meanwhile', async () => {
    using gate = new Gate();
    const running = run('late', sh('echo in; read -r go < "$0"', gate.path), [
      '--lost-status',
      '9',
    ]);
    await running.hears('in');
    await locks.forceRelease('late');
    await gate.open();

    const { status, errors } = await running.ended;
    expect(status).toBe(9);
    expect(errors).toContain('the command had ended, with status 0');
  });
});

describe('a store that gives no answer', () => {
  test('has a status of its own', async () => {
    const { status, errors } = await new RunProcess('redis://127.0.0.1:1', 'k', ['true'], {
      options: ['--no-wait'],
    }).ended;

    expect(status).toBe(69);
    expect(errors).toContain('redis-simple');
  });

  test('is not taken for a grant when a reply is lost, and nothing is run', async () => {
    const proxy = await Proxy.start(redis.port);
    const holder = await locks.acquire('doubt');
    const running = new RunProcess(proxy.url, 'doubt', ['echo', 'ran'], {
      options: ['--wait', '2s', '--down-status', '42'],
    });
    await expect.poll(waitingClients).toBeGreaterThan(0);
    proxy.cut('down');
    await holder.release();

    expect((await running.ended).status).toBe(42);
    expect(running.said).toEqual([]);
    await proxy.close();
  });

  test('to a release says so, and keeps the status of the command', async () => {
    using gate = new Gate();
    const proxy = await Proxy.start(redis.port);
    const running = new RunProcess(
      proxy.url,
      'unreleased',
      sh('echo in; read -r go < "$0"; exit 4', gate.path),
    );
    await running.hears('in');
    proxy.cut();
    await gate.open();

    const { status, errors } = await running.ended;
    expect(status).toBe(4);
    expect(errors).toContain("no reply to the release of 'unreleased'");
    await proxy.close();
  });
});
