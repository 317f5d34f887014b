import { spawn } from 'node:child_process';
import { type Config, openLocks } from 'holdfast';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, RedisServer } from '../../../../harness/test/kit/real-servers.ts';

const NEVER = ['--maxmemory-policy', 'noeviction'];
const EVICTS = ['--maxmemory-policy', 'volatile-lru'];

let servers: readonly RedisServer[];
beforeAll(async () => {
  const args = [NEVER, NEVER, NEVER, EVICTS, ['--rename-command', 'INFO', '']];
  servers = await Promise.all(args.map((each) => RedisServer.start({ args: each })));
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const url = (at: number): string => servers[at]?.url ?? '';

function redlock(...at: readonly number[]): Config {
  return { backend: 'redlock', nodes: at.map(url) };
}

/** Opens, with the requirement, and closes; returns the refusal, or `opened`. */
async function opening(source: string | Config): Promise<string> {
  const on = { warning: () => undefined };
  const outcome = await openLocks(source, { require: ['no-eviction'], on }).then(
    (locks) => locks.close(),
    (error: unknown) => error,
  );
  return outcome instanceof Error ? String(outcome) : 'opened';
}

describe('where no lock may be evicted', () => {
  test('a store that never evicts is opened', async () => {
    expect(await opening(url(0))).toBe('opened');
    expect(await opening({ backend: 'redis-getset', url: url(0) })).toBe('opened');
    expect(await opening(redlock(0, 1, 2))).toBe('opened');
    expect(await opening('memory:')).toBe('opened');
    const moving: Config = {
      backend: 'moving',
      from: { backend: 'redis-simple', url: url(0) },
      to: { backend: 'memory', fencingEpoch: 1 },
    };
    expect(await opening(moving)).toBe('opened');
  });

  test('one that may is refused, one node of several is enough', async () => {
    const reason =
      /^CapabilityError: .* no-eviction \(.*maxmemory-policy is volatile-lru, not noeviction/;

    expect(await opening(url(3))).toMatch(reason);
    expect(await opening(redlock(0, 1, 3))).toMatch(reason);
    expect(await opening({ backend: 'redis-getset', url: url(3) })).toMatch(reason);
    const moving: Config = {
      backend: 'moving',
      from: { backend: 'memory' },
      to: { backend: 'redis-simple', url: url(3), fencingEpoch: 1 },
    };
    expect(await opening(moving)).toMatch(reason);
  });

  test('one that does not tell, or is down, is refused with that reason', async () => {
    const down = `redis://127.0.0.1:${await freePort()}`;

    expect(await opening(url(4))).toMatch(/does not report its eviction policy: INFO/);
    expect(await opening(redlock(0, 1, 4))).toMatch(/does not report its eviction policy/);
    expect(await opening(down)).toMatch(/was not reached/);
  });

  test('the configuration can say so too', async () => {
    const evicting: Config = { backend: 'redis-simple', url: url(3), require: ['no-eviction'] };

    const on = { warning: () => undefined };
    await expect(openLocks(evicting, { on })).rejects.toThrow(/no-eviction/);
  });
});

/** Opens twice in a process of its own; returns what it prints to its standard error. */
function printed(source: string, options: string): Promise<string> {
  return printedBy(
    `for (const _ of [1, 2]) await (await openLocks('${source}', ${options})).close();`,
  );
}

/** What a process prints to its standard error that opens a store while it is down, and locks once it is up. */
async function printedLate(listens: string): Promise<string> {
  const server = await RedisServer.start({ args: EVICTS });
  try {
    await server.end();
    const code = `
    const locks = await openLocks('${server.url}');
    ${listens}
    process.stdout.write('open');
    await (await locks.acquire('late', { waitMs: 30_000 })).release();
    await locks.close();`;
    return await printedBy(code, () => void server.restart());
  } finally {
    await server.close();
  }
}

async function printedBy(body: string, onOutput: () => void = () => {}): Promise<string> {
  const code = `
    const { openLocks } = await import('holdfast');
    ${body}`;
  const cwd = new URL('../..', import.meta.url);
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd });
  let text = '';
  child.stdout.on('data', onOutput);
  child.stderr.on('data', (bytes) => (text += String(bytes)));
  expect(await new Promise((exit) => child.once('close', exit))).toBe(0);
  return text;
}

describe('a store that may evict is told of', () => {
  test('once on standard error, if the program does not listen', async () => {
    const text = await printed(url(3), '{ on: { lost: () => undefined } }');

    expect(text.match(/maxmemory-policy is volatile-lru/g)).toHaveLength(1);
    expect(text).toMatch(/\[eviction-policy\] HoldfastWarning: 127\.0\.0\.1/);
  });

  test('when it comes up, if it was down when it was opened', async () => {
    expect(await printedLate('')).toMatch(/\[eviction-policy\] HoldfastWarning: 127\.0\.0\.1/);
    expect(await printedLate("locks.on('warning', () => undefined);")).toBe('');
  });

  test('not at all there, if it does', async () => {
    expect(await printed(url(3), '{ on: { warning: () => undefined } }')).toBe('');
  });

  test('and one that does not is not spoken of', async () => {
    expect(await printed(url(0), '{}')).toBe('');
  });
});
