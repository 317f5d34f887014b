import { afterEach, expect, test } from 'vitest';
import { Laboratory } from './support/lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 240_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function both(options: readonly string[]): Laboratory {
  const lab = new Laboratory(['--both', ...options]);
  closing.push(() => lab.close());
  return lab;
}

test('the simulator and real servers agree about a failover, except where the matrix says why not', {
  timeout: LIMIT_MS,
}, async () => {
  const chosen = ['--faults', 'failover,restart-durable', '--backends', 'redis-simple'];
  const lab = both([...chosen, '--trials', '1', '--budget', '16', '--ttl', '3000']);

  const { code, stdout } = await lab.ended;

  expect(stdout).toMatch(/^failover, clocks level +✗ +✗ ✓$/m);
  expect(stdout).toMatch(/^failover, clocks level +redis-simple +✗ 1\/1 +✗ 1\/1 +✓ 0\/1$/m);
  expect(stdout).toContain('npx holdfast replay simple-failover');
  expect(code).toBe(0);
  const { both: crossCheck, cells } = lab.report;
  expect(crossCheck?.verdict).toMatch(/^(same|explained)$/);
  const columnsOf = (fault: string): readonly string[] =>
    crossCheck?.cells.flatMap((cell) => (cell.fault === fault ? [cell.column] : [])) ?? [];
  expect(columnsOf('failover')).toEqual(['redis-simple', 'redis-simple/sentinel']);
  expect(columnsOf('restart-durable')).toEqual(['redis-simple']);
  // The machine decides if Sentinels are quick enough, and both results are known.
  expect(crossCheck?.known).toMatchObject([{ replay: 'simple-failover' }]);
  expect(crossCheck?.simulator).toMatchObject({
    format: 'holdfast-compare',
    verdict: 'as-expected',
  });
  expect(cells.map(({ story }) => story?.name)).toContain('simple-failover');
  expect(lab.page).toContain('<h2>Beside the simulator</h2>');
  expect(lab.running).toEqual([]);
  // What servers were started with, and nothing that differs from one to the next.
  const servers = lab.report.settings.servers ?? [];
  const redis = servers.filter(({ server }) => server === 'redis-server');
  expect(redis.map(({ command }) => command).join('\n')).toMatch(/--appendonly yes/);
  expect(redis.map(({ command }) => command).join('\n')).toMatch(/--appendonly no/);
  expect(JSON.stringify(servers)).not.toContain(lab.folder);
});
