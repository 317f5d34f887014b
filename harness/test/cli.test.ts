import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { main } from '../../packages/holdfast/test/kit.ts';
import { Progress } from '../src/cli/progress.ts';
import type { Report } from '../src/compare/report.ts';
import { MATRIX_COLUMNS } from '../src/locks/index.ts';
import { SALE_IDS } from '../src/sale/run-sales.ts';
import { Console } from './support/console.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** In one thread: others are files of `dist`. */
const SMALL = ['--budget', '8', '--faults', 'none,holder-crash', '--jobs', '1', '--out', folder];
const SMALLER = [...SMALL, '--backends', 'redis-simple'];

test('without a command, or with --help, it says what there is', async () => {
  for (const args of [[], ['--help'], ['help']]) {
    const console = new Console();

    expect(await main(args, console)).toBe(0);
    expect(console.out).toContain('holdfast compare');
  }
});

test('every command has a help of its own', async () => {
  for (const command of [
    'compare',
    'find',
    'margin',
    'merge',
    'replay',
    'sale',
    'run',
    'watch',
    'locks',
    'inspect',
    'release',
    'health',
    'move',
    'schema',
  ]) {
    const console = new Console();

    expect(await main([command, '--help'], console)).toBe(0);
    expect(console.out).toContain(`holdfast ${command}`);
  }
});

test('help of a command is that of its option --help', async () => {
  const [help, option] = [new Console(), new Console()];

  expect(await main(['help', 'run'], help)).toBe(0);
  await main(['run', '--help'], option);
  expect(help.out).toBe(option.out);
  expect(await main(['help', 'nosuch'], new Console())).toBe(2);
});

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/[\s,;()]+/));
}

test('the help of find names every lock of the matrix, and that of sale every step and chart', async () => {
  const [find, sale] = [new Console(), new Console()];
  await main(['find', '--help'], find);
  await main(['sale', '--help'], sale);
  // With a replica behind each server it is a column of the matrix alone.
  const locks = MATRIX_COLUMNS.filter((column) => column !== 'redlock-pairs');

  expect(locks.filter((lock) => !wordsOf(find.out).has(lock))).toEqual([]);
  expect(SALE_IDS.filter((id) => !wordsOf(sale.out).has(id))).toEqual([]);
});

test('--version is that of the package', async () => {
  const console = new Console();

  expect(await main(['--version'], console)).toBe(0);
  expect(console.out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.for<[string[], string, string]>([
  [['compar'], 'unknown command compar', 'Did you mean holdfast compare?'],
  [
    ['dance'],
    'unknown command dance',
    'Commands are compare, find, margin, replay, sale, merge, run, watch, locks, inspect, release, health, move, schema.',
  ],
  [
    ['--sevrers'],
    'unknown option --sevrers',
    'Commands are compare, find, margin, replay, sale, merge, run, watch, locks, inspect, release, health, move, schema.',
  ],
  [['compare', '--sevrers', 'local'], 'unknown option --sevrers', 'Did you mean --servers?'],
  [['compare', '--servers'], '--servers needs a value', 'See holdfast compare --help.'],
  [
    ['locks', '--on', 'a.json', '--on', 'b.json'],
    '--on is given twice',
    'See holdfast locks --help.',
  ],
  [['compare', '--json=yes'], '--json must not have a value', 'See holdfast compare --help.'],
  [['compare', 'local'], 'unexpected argument "local"', 'See holdfast compare --help.'],
  [['compare', '--servers', 'locl'], 'unknown --servers "locl"', 'Did you mean local?'],
  [
    ['compare', '--servers', 'everywhere'],
    'unknown --servers "everywhere"',
    'Use embedded, local, auto, own, a URL or a file.',
  ],
  [
    ['compare', '--seed', 'abc'],
    '--seed needs a whole number from 0 to 4294967295, not "abc"',
    'See holdfast compare --help.',
  ],
  [
    ['compare', '--faults', 'pause,failovr'],
    'unknown --faults "failovr"',
    'Did you mean failover?',
  ],
  [
    ['compare', '--with', 'redlock'],
    '--with redlock names a lock that comes with holdfast',
    'Use a file such as ./my-lock.js, or a package.',
  ],
  [
    ['compare', '--with', './x.js', '--servers', 'local'],
    '--with is for the simulator, not for --servers local',
    'Leave out one of the two.',
  ],
  [
    ['compare', '--nodes', '7', '--shard', '1/2'],
    '--nodes is for the simulator, not for --shard',
    'Leave out one of the two.',
  ],
  [
    ['compare', '--nodes', '7', '--backends', 'zk'],
    '--nodes is for redlock, which is not selected',
    'Leave it out.',
  ],
  [
    ['compare', '--backends', 'redis'],
    'unknown --backends "redis"',
    `There are ${MATRIX_COLUMNS.join(', ')}.`,
  ],
  [
    ['compare', '--waiters', '0'],
    '--waiters needs a whole number from 1 to 1000, not "0"',
    'See holdfast compare --help.',
  ],
  [
    ['compare', '--servers', 'redis://nowhere', '--profile', 'short', '--faults', 'none,failover'],
    '--profile short cannot run failover, only none, pause, holder-crash',
    'The lab runs more: use --profile quick.',
  ],
  [
    ['compare', '--servers', 'redis://nowhere', '--profile', 'short', '--budget', '8'],
    '--budget is not for --profile short',
    'It is for the simulator.',
  ],
  [
    ['compare', '--servers', 'redis://nowhere', '--profile', 'short', '--dial', '750'],
    '--dial is not for --profile short',
    'It is for the laboratory.',
  ],
  [
    ['compare', '--shard', '9/8'],
    'invalid --shard 9/8',
    'Use K/N, from 1/N to N/N, for example 3/8; N is at most 1000000.',
  ],
  [
    ['compare', '--shard', '0/8'],
    'invalid --shard 0/8',
    'Use K/N, from 1/N to N/N, for example 3/8; N is at most 1000000.',
  ],
  [
    ['compare', '--servers', 'auto', '--shard', '1/8'],
    '--shard is for the simulator',
    'Leave out --servers.',
  ],
  [
    ['compare', '--store', 'orders'],
    '--store chooses a store of a configuration file, not of --servers embedded',
    'Use --servers FILE.',
  ],
  [
    ['compare', '--both', '--store', 'orders'],
    '--store chooses a store of a configuration file, not of --servers local',
    'Use --servers FILE.',
  ],
  [
    ['merge'],
    'missing argument: the shard reports, or their folder',
    'For example: holdfast merge out/find',
  ],
  [['merge', 'nowhere'], 'no such file: nowhere', 'See holdfast merge --help.'],
  [['inspect'], 'name one key', 'See holdfast inspect --help.'],
  [['schema'], 'name one backend that has tables: postgres', 'See holdfast schema --help.'],
  [
    ['schema', 'memory'],
    'name one backend that has tables: postgres',
    'See holdfast schema --help.',
  ],
  [
    ['inspect', 'a'],
    'no server is named',
    'Set HOLDFAST_URL, for example to redis://localhost:6379, or HOLDFAST_CONFIG to a configuration file.',
  ],
])('%j is wrong usage: %s', async ([args, message, hint]) => {
  const console = new Console();

  expect(await main(args, console)).toBe(2);
  expect(console.err).toBe(`holdfast: ${message}\n${hint}\n`);
  expect(console.out).toBe('');
});

test.for([
  [[], 'has several stores; choose one: { store: "orders" } in openLocks, --store orders in a'],
  [['--store', 'order'], 'has no store "order". Did you mean "orders"?'],
  [['--store', 'stock'], 'has no store "stock". There are orders, reports.'],
] as const)('of a file with stores compare needs one that exists: %j', async ([args, message]) => {
  const url = 'redis://127.0.0.1:1';
  const file = join(folder, 'stores.json');
  const stores = { orders: { backend: 'redis-simple', url }, reports: { backend: 'zk', url } };
  writeFileSync(file, JSON.stringify({ stores }));

  for (const profile of ['short', 'quick']) {
    const console = new Console();
    const compare = ['compare', '--servers', file, ...args, '--profile', profile, '--out', folder];

    expect(await main(compare, console)).not.toBe(0);
    expect(console.err).toContain(`${file} ${message}`);
  }
});

test('two servers in the environment are one too many', async () => {
  const console = new Console({ HOLDFAST_URL: 'memory:', HOLDFAST_CONFIG: 'locks.json' });

  expect(await main(['inspect', 'a'], console)).toBe(2);
  expect(console.err).toContain('HOLDFAST_URL and HOLDFAST_CONFIG are both set');
});

test('local without any server names the commands that install them', async () => {
  const console = new Console({ PATH: folder, POSTGRES_BIN: folder });

  expect(await main(['compare', '--servers', 'local'], console)).toBe(2);
  expect(console.err).toMatch(
    /^holdfast: no server that the lab starts is installed\nredis-server: .*install.* ZooKeeper: install it with .* etcd: install .* PostgreSQL: install /,
  );
});

test('a wrong configuration is a usage error, in one line', async () => {
  const console = new Console({ HOLDFAST_URL: 'reds://user:secret@host' });

  expect(await main(['inspect', 'a'], console)).toBe(2);
  expect(console.err).toMatch(/^holdfast: unknown URL scheme "reds:".*\n$/);
  expect(console.err).not.toContain('secret');
});

test('inspect says who holds a key, and release takes it away', async () => {
  const config = join(folder, 'locks.json');
  writeFileSync(config, '{ "backend": "memory" }');
  const inspecting = new Console({ HOLDFAST_CONFIG: config });
  const forcing = new Console();

  expect(await main(['inspect', 'orders/42'], inspecting)).toBe(0);
  expect(await main(['release', 'orders/42', '--yes', '--on', 'memory:'], forcing)).toBe(0);

  expect(JSON.parse(inspecting.out)).toEqual({ key: 'orders/42', held: false, fencingEpoch: 0 });
  expect(forcing.out).toBe('orders/42 was not held.\n');
});

test('schema prints the tables of a backend, in the schema that is named', async () => {
  const console = new Console();

  expect(await main(['schema', 'postgres', '--schema', 'my "locks"'], console)).toBe(0);

  expect(console.out).toContain('CREATE TABLE IF NOT EXISTS "my ""locks""".locks_v1 (');
  expect(console.out).toContain('GRANT SELECT, INSERT, UPDATE ON "my ""locks""".locks_v1 TO app;');
});

test('compare prints its rows plainly, tells its steps on stderr and writes the report', async () => {
  const console = new Console();

  expect(await main(['compare', ...SMALL], console)).toBe(0);

  expect(console.out).not.toContain('\u001B');
  expect(console.out).toMatch(/^none +✗ +✓ ✓ +✓ ✓ +✓ +✓ +– +✓ ✓(?: +✓ ✓)*$/m);
  expect(console.out).toContain(`Report  ${join(folder, 'report.json')}`);
  expect(console.err.split('\n')).toContain('embedded: holder-crash on redlock');
  const report: Report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  const cells = report.runs.flatMap(({ safety }) => safety);
  const untried = cells.filter(({ outcome }) => outcome === 'n/a').length;
  expect(cells.length - untried).toBeGreaterThan(12);
  expect(console.out).toContain(
    `As expected in all ${cells.length - untried} cells that were run.\nIn ${untried} more `,
  );
  expect(report).toMatchObject({
    format: 'holdfast-compare',
    version: 2,
    verdict: 'as-expected',
  });
});

test('with --json stdout is the report and nothing else', async () => {
  const console = new Console();

  expect(await main(['compare', '--json', ...SMALLER], console)).toBe(0);

  const report: Report = JSON.parse(console.out);
  expect(report.runs.map(({ servers }) => servers)).toEqual(['embedded']);
  expect(report.runs[0]?.columns[0]?.id).toBe('no-lock');
});

test('where no redis-server is installed, auto is embedded, and names the command that installs it', async () => {
  const console = new Console({ PATH: folder });

  expect(await main(['compare', '--servers', 'auto', ...SMALLER], console)).toBe(0);

  expect(console.out).toMatch(/^Next {4}(?:sudo apt-get install redis-server|brew install redis)/m);
  expect(console.out).not.toContain('measured: redis-server');
});

test('progress is one changing line on a terminal, and a line a step elsewhere', () => {
  const terminal = new Console({}, true);
  const pipe = new Console();
  for (const { stderr } of [terminal, pipe]) {
    const progress = new Progress(stderr);
    progress.step('one');
    progress.step('two');
    progress.clear();
  }

  expect(terminal.err).toBe('… one\r\u001B[2K… two\r\u001B[2K');
  expect(pipe.err).toBe('one\ntwo\n');
});

test('a reader that closes the pipe ends the command without an error', async () => {
  const bin = fileURLToPath(new URL('../../packages/holdfast/bin/holdfast.js', import.meta.url));
  const child = spawn(process.execPath, [bin, 'find', '--help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));

  const [code] = await once(child, 'close');

  expect(err).toBe('');
  expect(code).toBe(141);
});
