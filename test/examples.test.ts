import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer, ZooKeeperServer } from '../harness/test/kit/real-servers.ts';
import { run } from './support/run.ts';
import { filesBelow, root } from './support/source-file.ts';

/** The output that a reader sees, line by line. */
const shown: Readonly<Record<string, readonly string[]>> = {
  '01-first-lock': [
    'without a lock: 10 items sold, 9 still in stock',
    'with a lock: 10 items sold, 0 still in stock',
  ],
  '02-fenced-write': [
    'Bob writes 70: accepted',
    'Ada writes 50: refused, its token is old',
    'the balance is 70',
  ],
  '03-lost-lease': ['working', 'event: search-index was lost', 'stopped: LOCK_LOST'],
  '04-nightly-job': ['report sent by replica 1', '1 of 3 replicas ran the job'],
  '05-own-backend': [
    'released by key: broken',
    "- a second release is not-held, and does not affect the next holder: the second release returned 'released'",
    "- after a takeover the old holder’s release is not-held, and does not affect the new holder: the old holder’s release returned 'released'",
    'released by owner: keeps its contract',
  ],
  '07-swap-the-backend': [
    'three buyers want seat 12, sold 1 time',
    'the next holder’s token is larger: true',
    'refused: redlock does not give what the code requires: fencing',
    'refused: zk does not give what the code requires: per-call-ttl',
  ],
  '08-shutdown': [
    'request: charging',
    'SIGTERM',
    'worker: stops (CLOSING)',
    'request: charged',
    'closed; still held: 0',
  ],
  '09-several-keys': [
    'one by one: a transfer gave up',
    'as one lease: 40 transfers, ada 80, bob 120',
    'locked: accounts/ada, accounts/bob; tokens: 2',
  ],
  '10-hand-over': [
    'queued, and busy: true',
    'worker: refunds order 42',
    'its token is larger: true',
    'another request finds it busy: true',
    'worker: skips a job that was delivered twice',
    'done, and busy: false',
  ],
  '12-telemetry': [
    'holdfast_acquire_duration_count acquired: 3',
    'holdfast_acquire_duration_count busy: 1',
    'holdfast_hold_active now: 1',
  ],
  '14-node-cron': ['report sent', '1 of 3 replicas ran the job'],
  '15-next-route': [
    '200 {"charged":"15"}',
    '409 {"error":"busy"}',
    '200 {"charged":"15"}',
    'opened 1 time',
  ],
};

/** Examples that need a Redis: for their own sake, or for several processes. */
const onRedis: Readonly<Record<string, readonly string[]>> = {
  '13-bullmq': ['6 jobs about one order, 1 at a time', 'each with a larger token: true'],
  '16-kubernetes-leader': [
    'the first pod leads',
    'the first pod has finished its step',
    'the first pod exits with 0',
    'the other one leads',
    'the other one has finished its step',
    'the other one exits with 0',
  ],
};

/** Examples that use nothing that a session cannot provide. */
const alsoOnZooKeeper = ['01-first-lock', '07-swap-the-backend', '08-shutdown', '09-several-keys'];

/** Needs stores that outlive a process. */
const moving = '11-move-the-store';

/** Searches, rather than runs on a server. */
const searching = '06-find-a-bug';

/** Joins a comparison. */
const STRANGER = './examples/counts-from-the-reply.js';

interface Cell {
  readonly fault: string;
  readonly column: string;
  readonly outcome: string;
  readonly expected: object | null;
}

let server: RedisServer;
let zooKeeper: ZooKeeperServer;

beforeAll(async () => {
  [server, zooKeeper] = await Promise.all([RedisServer.start(), ZooKeeperServer.start()]);
}, 60_000);

afterAll(async () => {
  await Promise.all([server.close(), zooKeeper.close()]);
});

async function linesOf(example: string, ...args: readonly string[]): Promise<string[]> {
  const built = join(root, 'examples', 'dist', `${example}.js`);
  const { output } = await run('node', [built, ...args]);
  return output.trimEnd().split('\n');
}

describe.each(Object.entries(shown))('example %s', (example, lines) => {
  test('shows its point in memory', async () => {
    expect(await linesOf(example)).toEqual(lines);
  });

  test('has equal output on Redis', async () => {
    expect(await linesOf(example, server.url)).toEqual(lines);
  });
});

test.for(Object.entries(onRedis))(
  'example %s shows its point on Redis',
  async ([example, lines]) => {
    expect(await linesOf(example, server.url)).toEqual(lines);
  },
);

test.for(alsoOnZooKeeper)('example %s has equal output on ZooKeeper', async (example) => {
  expect(await linesOf(example, zooKeeper.url)).toEqual(shown[example]);
});

test('example 11 moves the store under live traffic', async () => {
  const steps = [
    'old + old',
    'moving + old',
    'moving + moving, flipped',
    'new + moving',
    'new + new',
  ];
  const lines = steps.flatMap((step) => Array(2).fill(`${step}: 1 inside, token accepted: true`));
  lines.splice(4, 0, 'the new store alone, before the flip: FENCING_EPOCH');

  expect(await linesOf(moving, server.url)).toEqual(lines);
});

test('example 06 shows that a plausible lock breaks, with a story and its replay string', async () => {
  const lines = await linesOf(searching);

  expect(lines.slice(0, 2)).toEqual([
    'LOCK BROKEN: two valid holders',
    `✗ ./examples/dist/${searching}.js, fault delay`,
  ]);
  // The client that deletes another's key, and the effect: the bug in two lines.
  expect(lines.filter((line) => /is deleted by [ABC]$|◀ broken$/.test(line))).toHaveLength(2);
  expect(lines.at(-1)).toMatch(/^ +npx holdfast replay r1\./);
}, 90_000);

test('the lock of a stranger joins the comparison, and falls to the fault that its comment names', async () => {
  const out = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  const faults = 'none,pause-acquire';
  const choice = ['--backends', 'redis-simple', '--faults', faults, '--jobs', '1'];
  const holdfast = join(root, 'packages/holdfast/bin/holdfast.js');
  const compare = ['compare', '--with', STRANGER, ...choice, '--out', out, '--json'];
  const { code, stdout } = await run('node', [holdfast, ...compare]);
  rmSync(out, { recursive: true });

  const { verdict, runs } = JSON.parse(stdout);
  const cells = runs[0].safety.map(({ fault, column, outcome, expected }: Cell) => [
    fault,
    column,
    outcome,
    expected === null,
  ]);
  expect(cells.slice(1, 3).concat(cells.slice(4, 6))).toEqual([
    ['none', 'redis-simple', 'holds', false],
    ['none', STRANGER, 'holds', true],
    ['pause-acquire', 'redis-simple', 'holds', false],
    ['pause-acquire', STRANGER, 'breaks', true],
  ]);
  expect({ code, verdict }).toEqual({ code: 0, verdict: 'as-expected' });
}, 60_000);

test('every example is run here, and short enough to read', () => {
  const examples = filesBelow('examples', (name) => /\.[tj]s$/.test(name));

  expect(examples.map(({ path }) => path.replace(/^examples\/|\.[tj]s$/g, ''))).toEqual(
    [
      ...Object.keys(shown),
      ...Object.keys(onRedis),
      moving,
      searching,
      basename(STRANGER, '.js'),
    ].toSorted(),
  );
  for (const { path, text } of examples) expect(text.split('\n').length, path).toBeLessThan(60);
});
