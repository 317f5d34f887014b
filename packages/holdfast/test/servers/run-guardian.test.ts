import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { endAll, isAlive, kill, RunProcess } from './support/run-process.ts';

const GUARDIAN = fileURLToPath(new URL('../../dist/cli/run/guardian.js', import.meta.url));

let folder: string;
let redis: RedisServer;
let guardian: Guardian | undefined;
let pids: readonly number[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-guardian-'));
  redis = await RedisServer.start();
});
afterEach(() => {
  guardian?.process.kill('SIGKILL');
  endAll(pids);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redis.close();
});

/** A guardian without a `holdfast run`, whose part the test plays. */
class Guardian {
  readonly process: ChildProcess;
  readonly #orders: Duplex;
  readonly #lines: AsyncIterator<string>;
  readonly #reports: AsyncIterator<string>;

  constructor() {
    this.process = spawn(process.execPath, [GUARDIAN], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    const { stdout } = this.process;
    const orders = this.process.stdio[3];
    if (!(orders instanceof Duplex) || stdout === null) throw new Error('no pipe');
    this.#orders = orders;
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    this.#reports = createInterface({ input: orders })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  send(order: object): void {
    this.#orders.write(`${JSON.stringify(order)}\n`);
  }

  start(command: readonly string[], leaseMs: number): void {
    const times = { graceMs: 50, marginMs: 20 };
    this.send({ kind: 'start', command, env: process.env, deadline: inMs(leaseMs), ...times });
  }

  async said(): Promise<string> {
    return (await this.#lines.next()).value;
  }

  async report(): Promise<unknown> {
    return JSON.parse((await this.#reports.next()).value);
  }
}

function inMs(ms: number): object {
  return {
    monotonicMs: Number(process.hrtime.bigint() / 1_000_000n) + ms,
    wallMs: Date.now() + ms,
  };
}

test('the command does not run if its guardian is killed before the pid is known to both', async () => {
  guardian = new Guardian();
  const file = join(folder, 'ran');
  guardian.start(['touch', file], 60_000);
  const started = await guardian.report();
  expect(started).toEqual({ kind: 'started', pid: expect.any(Number) });
  const { pid } = Object(started);
  pids = [pid];
  expect(isAlive(pid)).toBe(true);
  guardian.process.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);

  expect(existsSync(file)).toBe(false);
});

test('the command does not run if its lease is over by then', async () => {
  guardian = new Guardian();
  const file = join(folder, 'late');
  guardian.start(['touch', file], 60);

  expect(await guardian.report()).toEqual({
    kind: 'ended',
    code: null,
    signal: null,
    reason: 'deadline',
  });
  expect(existsSync(file)).toBe(false);
});

test('a guardian that was stopped takes the renewals that came meanwhile', async () => {
  guardian = new Guardian();
  // Long enough for a busy machine to start the command in.
  const leaseMs = 5_000;
  guardian.start(
    ['sh', '-c', 'trap "echo got; exit 6" USR1; echo in; while :; do sleep 0.1; done'],
    leaseMs,
  );
  await guardian.report();
  guardian.send({ kind: 'go' });
  expect(await guardian.said()).toBe('in');
  kill(guardian.pid, 'SIGSTOP');
  guardian.send({ kind: 'deadline', deadline: inMs(60_000) });
  guardian.send({ kind: 'signal', signal: 'SIGUSR1' });
  // The first lease is over.
  await pause(leaseMs);
  kill(guardian.pid, 'SIGCONT');

  expect(await guardian.said()).toBe('got');
  expect(await guardian.report()).toEqual({ kind: 'ended', code: 6, signal: null });
});

test('a command whose holdfast run is killed is ended at once', async () => {
  const command = ['sh', '-c', 'echo "pids $$ $PPID"; exec sleep 1000'];
  const run = new RunProcess(redis.url, 'at-once', command, { options: ['--ttl', '1h'] });
  pids = await run.hearsPids('pids');
  run.signal('SIGKILL');

  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test.skipIf(!existsSync('/usr/bin/setpriv'))(
  'with setpriv --pdeathsig it is ended even when both are away',
  async () => {
    const command = [
      'setpriv',
      '--pdeathsig',
      'KILL',
      'sh',
      '-c',
      'echo "pids $$ $PPID"; exec sleep 1000',
    ];
    const run = new RunProcess(redis.url, 'both', command);
    const [pid = 0, both = 0] = await run.hearsPids('pids');
    pids = [pid, both];
    run.signal('SIGSTOP');
    kill(both, 'SIGKILL');

    await expect.poll(() => isAlive(pid)).toBe(false);
  },
);
