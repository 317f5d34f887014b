import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Session } from '@holdfast/zk-client';
import { Redis } from 'ioredis';
import { afterAll, expect, test, vi } from 'vitest';
import type { Cell, Report } from '../../src/compare/report.ts';
import { RedisServer } from '../../src/servers/redis/real/redis-server.ts';
import { ZooKeeperServer } from '../../src/servers/zookeeper/real/zookeeper-server.ts';

/** The built command, as it is installed: its worker processes are files of `dist`. */
const COMMAND = fileURLToPath(
  new URL('../../../packages/holdfast/bin/holdfast.js', import.meta.url),
);
const SMALL = ['--processes', '2', '--waiters', '4', '--rounds', '6', '--trials', '1'];
/** A holder that crashes leaves a lock behind, which is what has to be cleared away. */
const LEAVES_A_LOCK = ['--faults', 'none,holder-crash'];
const LIMIT_MS = 120_000;
const LOCKED = ['redis-simple/ioredis', 'redis-simple/node-redis', 'zk', 'etcd', 'postgres'];

const folder = mkdtempSync(join(tmpdir(), 'holdfast-compare-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const NOWHERE = join(folder, 'nowhere');
const REDIS_ALONE = { ZOOKEEPER_HOME: NOWHERE, ETCD_SERVER: NOWHERE, POSTGRES_BIN: NOWHERE };

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const options = [...args, '--out', join(folder, name)];
  return spawn(process.execPath, [COMMAND, 'compare', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
}

function finished(child: ChildProcess): Promise<Finished> {
  const text = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...text })));
}

function reportOf(name: string): Report {
  return JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8'));
}

function cellOf({ runs }: Report, fault: string, column: string): Cell {
  const cells = runs.flatMap(({ safety }) => safety);
  const cell = cells.find((each) => each.fault === fault && each.column === column);
  if (cell === undefined) throw new Error(`no cell for ${fault} on ${column}`);
  return cell;
}

test(
  'on servers of its own no-lock loses updates, the locks lose none, and the fence stops who comes late',
  async () => {
    const { code, stdout, stderr } = await finished(
      start('local', ['--servers', 'local', '--profile', 'short', ...SMALL]),
    );

    const report = reportOf('local');
    expect(stderr).toContain('local: none on redis-simple/node-redis');
    expect(stdout).toContain('As expected in all 19 cells that were run.\nIn 2 more ');
    expect(code).toBe(0);
    expect(report.runs[0]).toMatchObject({ servers: 'local', how: 'measured' });
    expect(report.runs[0]?.by).toMatch(
      /^redis-server \S+ on loopback, three ZooKeeper servers \S+ on loopback, three etcd servers \S+ on loopback, PostgreSQL \S+ on/,
    );
    for (const fault of ['none', 'pause', 'holder-crash']) {
      expect(cellOf(report, fault, 'no-lock').evidence?.unfenced?.lost).toBeGreaterThan(0);
    }
    for (const column of LOCKED) {
      for (const fault of ['none', 'holder-crash']) {
        const { evidence } = cellOf(report, fault, column);
        expect(evidence).toMatchObject({ validityViolated: 0, beliefViolated: 0 });
        expect(evidence?.unfenced?.lost).toBe(0);
      }
      const late = cellOf(report, 'pause', column);
      expect(late).toMatchObject({ outcome: 'late', fenced: 'holds' });
      expect(late.evidence?.fenced).toMatchObject({ refused: 1, lost: 0 });
    }
  },
  LIMIT_MS,
);

test('memory has no crash cell to fill, since its locks die with its process', () => {
  const report = reportOf('local');

  expect(cellOf(report, 'none', 'memory').evidence).toMatchObject({
    // 2 processes of 4 waiters elsewhere are 1 process of 8 waiters here, with 6 updates each.
    unfenced: { accepted: 48, lost: 0 },
  });
  expect(cellOf(report, 'holder-crash', 'memory')).toMatchObject({
    outcome: 'n/a',
    evidence: null,
    reason: 'its locks die with its one process: no waiter is left',
  });
});

test.for([
  { column: 'redis-simple/ioredis', acquire: 1 },
  { column: 'redis-simple/node-redis', acquire: 1 },
  { column: 'zk', acquire: 2 },
])(
  'what $column costs is measured: $acquire round trips and one to release, and a takeover after about the ttl',
  ({ column, acquire }) => {
    const { cost = [] } = reportOf('local').runs[0] ?? {};
    const figures = cost.filter((figure) => figure.column === column);
    const value = (metric: string): number | null =>
      figures.find((figure) => figure.metric === metric)?.value ?? null;

    expect(figures.every(({ how }) => how === 'measured')).toBe(true);
    expect(value('acquire-round-trips')).toBe(acquire);
    expect(value('release-round-trips')).toBe(1);
    expect(value('acquire-p50-ms')).toBeGreaterThan(0);
    expect(value('contended-acquisitions-per-s')).toBeGreaterThan(0);
    // A holder that has just renewed leaves the whole ttl of a second, one that is about to, two thirds.
    expect(value('takeover-ms')).toBeGreaterThan(500);
  },
);

test(
  'with one client there is nothing to lose: the run says that it proved nothing, and fails, also with no servers but Redis',
  async () => {
    const alone = [
      '--processes',
      '1',
      '--waiters',
      '1',
      '--rounds',
      '2',
      '--trials',
      '1',
      '--ttl',
      '500',
      '--faults',
      'none',
    ];

    const { code, stdout } = await finished(
      start('alone', ['--servers', 'local', '--profile', 'short', ...alone, '--json'], REDIS_ALONE),
    );

    const report: Report = JSON.parse(stdout);
    expect(report.verdict).toBe('proved-nothing');
    expect(cellOf(report, 'none', 'no-lock')).toMatchObject({
      outcome: 'nothing',
      unexpected: true,
      reason: 'without a lock nothing was lost either',
    });
    const columns = report.runs[0]?.columns.map(({ backend }) => backend);
    expect(new Set(columns)).toEqual(new Set(['no-lock', 'memory', 'redis-simple']));
    expect(report.runs[0]?.notes).toEqual([
      expect.stringMatching(/^zk is not compared, .* install zookeeper/),
      expect.stringMatching(/^etcd is not compared, because etcd is not installed: /),
      expect.stringMatching(/^postgres is not compared, because PostgreSQL is not installed: /),
    ]);
    expect(code).toBe(1);
  },
  LIMIT_MS,
);

test(
  'on a server of the user it touches only its own namespace, leaves it empty, and shows no password',
  async () => {
    const server = await RedisServer.start({ args: ['--requirepass', 'sesame'] });
    const client = new Redis(server.port, '127.0.0.1', { password: 'sesame' });
    try {
      await client.set('foreign', 'mine');
      const url = `redis://:sesame@127.0.0.1:${server.port}`;
      const what = ['--servers', 'own', '--profile', 'short', ...SMALL, ...LEAVES_A_LOCK];
      const child = start('own', what, { HOLDFAST_URL: url });

      const { code, stdout, stderr } = await finished(child);

      expect(code).toBe(0);
      expect(reportOf('own').runs[0]?.by).toMatch(/^redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+;/);
      expect(await client.get('foreign')).toBe('mine');
      expect(await client.keys('*')).toEqual(['foreign']);
      expect(JSON.stringify(reportOf('own')) + stdout + stderr).not.toContain('sesame');
    } finally {
      client.disconnect();
      await server.close();
    }
  },
  LIMIT_MS,
);

test(
  'it plays the chosen store, faults and backends, and leaves no key of a lock whose keys never expire',
  async () => {
    const server = await RedisServer.start();
    const client = new Redis(server.port, '127.0.0.1');
    try {
      const config = join(folder, 'stores.json');
      const legacy = { backend: 'redis-getset', url: server.url };
      const other = { backend: 'zk', url: '${NOT_SET}' };
      writeFileSync(config, JSON.stringify({ stores: { legacy, other } }));
      const chosen = [...LEAVES_A_LOCK, '--backends', 'redis-getset'];
      const child = start('getset', [
        '--servers',
        config,
        '--store',
        'legacy',
        '--profile',
        'short',
        ...SMALL,
        ...chosen,
      ]);

      await finished(child);

      const [run] = reportOf('getset').runs;
      expect(run?.rows.map(({ fault }) => fault)).toEqual(['none', 'holder-crash']);
      expect(run?.columns.map(({ id }) => id)).toEqual(['no-lock', 'redis-getset']);
      expect(await client.keys('*')).toEqual([]);
    } finally {
      client.disconnect();
      await server.close();
    }
  },
  LIMIT_MS,
);

test(
  'where it may not look for what it wrote, it says what is left',
  async () => {
    const server = await RedisServer.start({ args: ['--rename-command', 'SCAN', ''] });
    try {
      const args = ['--servers', server.url, '--profile', 'short', ...SMALL, '--faults', 'none'];

      const { stdout } = await finished(start('left', args));

      const left =
        /^Keys that begin with holdfast-compare-\S+ are left at redis \S+ at \S+, on Redis for a day: .*SCAN/m;
      expect(stdout).toMatch(left);
      expect(reportOf('left').runs[0]?.notes?.join('\n')).toMatch(left);
    } finally {
      await server.close();
    }
  },
  LIMIT_MS,
);

test(
  'on an ensemble of the user it leaves nothing behind, and shows no password',
  async () => {
    const server = await ZooKeeperServer.start();
    const session = await Session.open({ servers: [server.address] });
    try {
      await session.create('/foreign', 'mine');
      const url = `zk://me:sesame@${server.address}`;
      const what = ['--servers', url, '--profile', 'short', ...SMALL, ...LEAVES_A_LOCK];
      const child = start('own-zk', what);

      const { code, stdout, stderr } = await finished(child);

      const { children } = await session.getChildren('/');
      expect(code).toBe(0);
      expect(reportOf('own-zk').runs[0]?.by).toContain(`ZooKeeper at ${server.address};`);
      expect(cellOf(reportOf('own-zk'), 'holder-crash', 'zk')).toMatchObject({ outcome: 'holds' });
      expect(children.toSorted()).toEqual(['foreign', 'zookeeper']);
      expect(JSON.stringify(reportOf('own-zk')) + stdout + stderr).not.toContain('sesame');
    } finally {
      await session.close();
      await server.close();
    }
  },
  LIMIT_MS,
);

// Always the resource, two workers, and the supervisor with one redis-server.
test.skipIf(process.platform !== 'linux').for([
  { signal: 'SIGTERM', servers: 'Redis alone', backends: 'redis-simple', processes: 5 },
  {
    signal: 'SIGKILL',
    servers: 'and three ZooKeeper servers',
    backends: 'redis-simple,zk',
    processes: 8,
  },
] as const)(
  'after $signal no process of it is left, not even a paused one ($servers)',
  { timeout: LIMIT_MS },
  async ({ signal, backends, processes }) => {
    const what = ['--servers', 'local', '--profile', 'short', '--faults', 'pause'];
    const child = start(signal, [...what, '--backends', backends, ...SMALL]);
    const done = finished(child);
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (chunk: string) => {
        if (chunk.includes('local: pause on redis-simple')) resolve();
      });
    });
    const children = below(child.pid);
    await vi.waitUntil(() => children.some((pid) => stateOf(pid) === 'T'), { timeout: 20_000 });

    child.kill(signal);
    await done;

    expect(children.length).toBe(processes);
    await vi.waitUntil(() => children.every(isGone), { timeout: 20_000 });
  },
);

/** Its children, and theirs. */
function below(pid: number | undefined): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const children = text === '' ? [] : text.split(' ').map(Number);
  return [...children, ...children.flatMap(below)];
}

/** As `ps` has it: T stopped, Z dead and not buried yet. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function isGone(pid: number): boolean {
  const state = stateOf(pid);
  return state === undefined || state === 'Z' || state === 'X';
}
