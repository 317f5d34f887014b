import { afterEach, describe, expect, test } from 'vitest';
import { Laboratory } from './support/lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 240_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function both(options: readonly string[], env: NodeJS.ProcessEnv = {}): Laboratory {
  const lab = new Laboratory(['--both', ...options], env);
  closing.push(() => lab.close());
  return lab;
}

test('the simulator and real servers agree about a failover, except where the matrix says why not', {
  timeout: LIMIT_MS,
}, async () => {
  const chosen = ['--faults', 'failover', '--backends', 'redis-simple'];
  const lab = both([...chosen, '--trials', '1', '--budget', '16', '--ttl', '3000']);

  const { code, stdout } = await lab.ended;

  expect(stdout).toMatch(/^failover, clocks level +✗ +✗ ✓$/m);
  expect(stdout).toMatch(/^failover, clocks level +redis-simple +✗ 1\/1 +✗ 1\/1 +✓ 0\/1$/m);
  expect(stdout).toContain('npx holdfast replay simple-failover');
  expect(code).toBe(0);
  const { both: crossCheck, cells } = lab.report;
  expect(crossCheck?.verdict).toMatch(/^(same|explained)$/);
  expect(crossCheck?.cells.map(({ column }) => column)).toEqual([
    'redis-simple',
    'redis-simple/sentinel',
  ]);
  // The machine decides if Sentinels are quick enough, and both results are known.
  expect(crossCheck?.known).toMatchObject([{ replay: 'simple-failover' }]);
  expect(crossCheck?.simulator).toMatchObject({
    format: 'holdfast-compare',
    verdict: 'as-expected',
  });
  expect(cells.map(({ story }) => story?.name)).toContain('simple-failover');
  expect(lab.page).toContain('<h2>Beside the simulator</h2>');
  expect(lab.running).toEqual([]);
});

describe('options of only one of the two are rejected before anything is played', () => {
  test.each([
    ['servers of the user’s', ['--servers', 'redis://localhost:1'], '--both needs --servers local'],
    ['no laboratory', ['--profile', 'short'], '--both needs the laboratory'],
    ['a share of it', ['--shard', '1/2'], '--both runs on one machine'],
    ['a fault that real servers do not show', ['--faults', 'drift'], 'cannot show drift'],
    [
      'a lock without servers',
      ['--backends', 'memory'],
      'memory has no servers to inject faults into',
    ],
  ])('%s', async (_, options, message) => {
    const { code, stdout, stderr } = await both(options).ended;

    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('where no server is installed', async () => {
    const { code, stderr } = await both([], { PATH: '/none', REDIS_SERVER: '/none' }).ended;

    expect(stderr).toContain('neither redis-server nor ZooKeeper is installed');
    expect(code).toBe(2);
  });
});
