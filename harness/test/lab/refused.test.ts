import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer } from '@holdfast/harness/real';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type CommandResult, holdfastIn } from '../support/command.ts';

const home = mkdtempSync(join(tmpdir(), 'holdfast-refused-'));
afterAll(() => rmSync(home, { recursive: true }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(home, 'lab-'));
});

function compare(options: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  return holdfastIn(folder, ['compare', ...options], { ...process.env, ...env });
}

function laboratory(
  options: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  return compare(['--servers', 'local', '--profile', 'quick', ...options], env);
}

const NO_SERVERS = {
  PATH: '/none',
  REDIS_SERVER: '/none',
  JAVA_HOME: '/none',
  POSTGRES_BIN: '/none',
};

describe('a laboratory that cannot begin says why, and starts nothing', () => {
  test('where its report cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '');

    const { code, stderr, stdout } = await laboratory(['--out', join(folder, 'file', 'report')]);

    expect(stderr).toContain('cannot write the report to');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('where no server is installed', async () => {
    const { code, stderr } = await laboratory([], NO_SERVERS);

    expect(stderr).toContain('no server that the lab starts is installed');
    expect(code).toBe(2);
  });

  test.each([
    ['--faults', 'drift', 'real servers cannot show drift'],
    ['--backends', 'memory', 'memory has no servers to inject faults into'],
    ['--processes', '8', '--processes is not for the laboratory'],
    ['--seed', '3', '--seed is not for the laboratory'],
    ['--deep', '--json', '--deep is not for the laboratory'],
    ['--trials', '2000', '--trials needs a whole number from 1 to 1000'],
  ])('where %s %s cannot be played', async (option, value, message) => {
    const { code, stderr } = await laboratory([option, value]);

    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test('where what is named meets nothing that is named besides', async () => {
    const options = ['--faults', 'pause,lost-wakeup', '--backends', 'redis-getset'];
    const { code, stderr, stdout } = await laboratory(options);

    expect(stderr).toContain('lost-wakeup cannot run on redis-getset: there are no notifications');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test.each([
    ['zk', 'ZooKeeper is not installed, or Java'],
    ['etcd', 'etcd is not installed'],
    ['postgres-synchronous', 'PostgreSQL is not installed'],
  ])('where the servers of %s are not installed', async (backend, what) => {
    const path = { ...NO_SERVERS, REDIS_SERVER: findRedisServer() ?? '' };
    const { code, stderr, stdout } = await laboratory(['--backends', backend], path);

    expect(stderr).toContain(`${what}: install it, or leave ${backend} out`);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('where its report would take the place of a folder', async () => {
    mkdirSync(join(folder, 'report.json'));

    const { code, stderr } = await laboratory(['--out', folder]);

    expect(stderr).toContain('report.json is a folder');
    expect(code).toBe(2);
  });

  test.runIf(process.platform === 'linux')('where no folder can be made for it', async () => {
    const { code, stderr } = await laboratory(['--out', '/proc/holdfast/report']);

    expect(stderr).toContain('cannot write the report to /proc/holdfast/report');
    expect(code).toBe(2);
  });

  test('with an unknown profile', async () => {
    const { code, stderr } = await laboratory(['--profile', 'slow']);

    expect(stderr).toContain('unknown profile "slow"');
    expect(code).toBe(2);
  });
});

describe('options of only one of simulator and laboratory are rejected before anything is played', () => {
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
    const { code, stdout, stderr } = await compare(['--both', ...options]);

    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('where no server is installed', async () => {
    const { code, stderr } = await compare(['--both'], NO_SERVERS);

    expect(stderr).toContain('no server that the lab starts is installed');
    expect(code).toBe(2);
  });
});
