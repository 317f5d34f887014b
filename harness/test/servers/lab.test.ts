import { afterEach, expect, test } from 'vitest';
import type { LabReport } from '../../src/lab/index.ts';
import { Laboratory } from './support/lab-world.ts';

type Settings = LabReport['settings'];

/** Against hanging, not a measure. */
const LIMIT_MS = 240_000;
const QUICK = ['--profile', 'quick'];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function laboratory(options: readonly string[]): Laboratory {
  const lab = new Laboratory([...QUICK, ...options]);
  closing.push(() => lab.close());
  return lab;
}

test('locks break where they are known to, hold where they are known to, and a fence lets nothing stale in', {
  timeout: LIMIT_MS,
}, async () => {
  const faults = 'failover,server-clock-forward,restart-empty,pause';
  // On a busy machine a server takes its time to come back, and the holder must not notice before that.
  const what = ['--faults', faults, '--backends', 'redis-simple,redlock,zk'];
  const lab = laboratory([...what, '--trials', '1', '--ttl', '3000']);

  const { code, stdout, stderr } = await lab.ended;

  expect(stdout).toContain('As expected in all');
  expect(code).toBe(0);
  expect(stderr).toContain(
    'failover on zk, ttl 3000 ms: 1 of 1\nfailover on zk: the leader is killed',
  );
  expect(lab.cell('none', 'no-lock').figures?.updates.lost).toBeGreaterThan(0);
  for (const fault of ['failover', 'server-clock-forward', 'restart-empty'])
    expect(lab.cell(fault, 'redis-simple').figures?.validity).toMatchObject({ hits: 1, of: 1 });
  for (const fault of ['server-clock-forward', 'restart-empty'])
    expect(lab.cell(fault, 'redlock').figures?.validity).toMatchObject({ hits: 1, of: 1 });
  expect(lab.cell('failover', 'zk')).toMatchObject({ outcome: 'holds', fenced: 'holds' });
  // One server that loses all data, and a client without history: the tokens start again, too.
  const forgotten = { outcome: 'breaks', fenced: 'breaks' };
  expect(lab.cell('restart-empty', 'zk/single')).toMatchObject(forgotten);
  for (const column of ['redis-simple', 'redlock', 'zk'])
    expect(lab.cell('pause', column)).toMatchObject({ outcome: 'late', unexpected: false });
  const fenced = lab.report.cells.flatMap(({ figures }) => figures?.fencedUpdates ?? []);
  expect(fenced.map(({ stale }) => stale)).toEqual(fenced.map(() => 0));
  expect(lab.cell('pause', 'zk').figures?.fencedUpdates?.refused).toBeGreaterThan(0);
  for (const column of ['redis-simple/sentinel', 'zk'])
    expect(lab.cell('failover', column).figures?.unavailableMs.median).toBeGreaterThan(0);
  expect(lab.litter).toEqual([]);
  const sentinel = waysOf(lab, 'Sentinel');
  expect(sentinel.map(({ columns }) => columns)).toEqual([['redis-simple/sentinel']]);
  expect(linesOf(sentinel)).toContain('sentinel failover-timeout lab 2000');
  const zookeeper = linesOf(waysOf(lab, 'ZooKeeper'));
  for (const line of ['tickTime=100', 'initLimit=50', 'syncLimit=5', 'forceSync=no', '-Xmx64m'])
    expect(zookeeper).toContain(line);
  expect(lab.report.by.join('; ')).toMatch(/ZooKeeper \S+ on Java \d.*ioredis \d+\.\d+/);
});

/** The settings of the servers of one kind. */
function waysOf({ report }: Laboratory, kind: string): NonNullable<Settings['servers']> {
  return report.settings.servers?.filter(({ server }) => server === kind) ?? [];
}

function linesOf(ways: NonNullable<Settings['servers']>): string {
  return ways.flatMap(({ command, config }) => [command, ...config]).join('\n');
}
