import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Laboratory } from './lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 240_000;
const PATIENCE = { timeout: 20_000, interval: 20 };
const QUICK = ['--profile', 'quick'];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function laboratory(options: readonly string[], env: NodeJS.ProcessEnv = {}): Laboratory {
  const lab = new Laboratory([...QUICK, ...options], env);
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
  // One server that forgets everything, and somebody who has seen nothing: also the tokens begin anew.
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
});

// Where processes run is read from /proc.
describe.runIf(process.platform === 'linux')('a laboratory that is ended', () => {
  test('by Ctrl-C leaves a report of what it knows, and nobody running', {
    timeout: LIMIT_MS,
  }, async () => {
    const lab = laboratory(['--faults', 'none,pause', '--backends', 'zk', '--trials', '2']);
    await lab.says('none on zk, ttl 1500 ms: 2 of 2');
    // Three clients, the resource, the proxies, the supervisor, an ensemble of three, and itself.
    expect(lab.running).toHaveLength(10);

    lab.kill('SIGINT');

    const { code } = await lab.ended;
    await vi.waitFor(() => expect(lab.running).toEqual([]), { timeout: 2_000, interval: 10 });
    await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
    expect(code).toBe(130);
    expect(lab.report).toMatchObject({ partial: true });
    expect(lab.cell('pause', 'no-lock').outcome).toBe('breaks');
    expect(lab.page).toContain('Partial: it was ended before everything was played.');
  });

  test('by kill -9 at whatever moment leaves nobody running', { timeout: LIMIT_MS }, async () => {
    for (let kill = 0; kill < 10; kill++) {
      const lab = laboratory(['--faults', 'failover,pause', '--trials', '1']);
      // From before anything is started until well into the third fault; where it falls decides nothing.
      await new Promise((done) => setTimeout(done, Math.random() * 6_000));

      lab.kill('SIGKILL');
      await lab.ended;

      await vi.waitFor(() => expect(lab.running).toEqual([]), PATIENCE);
      await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
    }
  });
});

describe('a laboratory that cannot begin says why, and starts nothing', () => {
  test('where its report cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-lab-out-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'file'), '');
    const lab = laboratory(['--out', join(folder, 'file', 'report')]);

    const { code, stderr, stdout } = await lab.ended;

    expect(stderr).toContain('the report cannot be written to');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('where no server is installed', async () => {
    const path = { PATH: '/none', REDIS_SERVER: '/none', JAVA_HOME: '/none' };
    const { code, stderr } = await laboratory([], path).ended;

    expect(stderr).toContain('neither redis-server nor ZooKeeper is installed');
    expect(code).toBe(2);
  });

  test.each([
    ['--faults', 'drift', 'real servers do not show drift'],
    ['--backends', 'memory', 'memory has no servers to strike'],
  ])('where %s %s cannot be played', async (option, value, said) => {
    const { code, stderr } = await laboratory([option, value]).ended;

    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });

  test('where nobody knows the profile', async () => {
    const { code, stderr } = await laboratory(['--profile', 'slow']).ended;

    expect(stderr).toContain('there is no profile "slow"');
    expect(code).toBe(2);
  });
});
