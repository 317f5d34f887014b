import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Locks, openLocks } from 'holdfast';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Proxy, RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { main } from '../kit.ts';

let redis: RedisServer;
let proxy: Proxy;
let locks: Locks;
beforeAll(async () => {
  redis = await RedisServer.start();
  proxy = await Proxy.start(redis.port);
  locks = await openLocks(redis.url, { label: 'the-holder' });
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await locks.close();
  await proxy.close();
  await redis.close();
});

/** Input and output of a command. */
class Console {
  out = '';
  err = '';
  readonly env: NodeJS.ProcessEnv = {};
  readonly stdout: { isTTY?: boolean; rows?: number; write(text: string): void };
  readonly stderr = { write: (text: string): void => void (this.err += text) };
  readonly stdin?: { readonly isTTY: boolean; line(): Promise<string> };
  readonly #heard = new Set<() => void>();

  constructor({
    isTTY = false,
    rows = 24,
    answer,
  }: { isTTY?: boolean; rows?: number; answer?: string } = {}) {
    const write = (text: string): void => {
      this.out += text;
      for (const hear of this.#heard) hear();
    };
    this.stdout = { ...(isTTY && { isTTY, rows }), write };
    if (answer !== undefined) this.stdin = { isTTY: true, line: () => Promise.resolve(answer) };
  }

  /** Resolves once the output has this, or fits it. */
  async hears(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.out)) await new Promise<void>((resume) => this.#heard.add(resume));
  }

  get json(): readonly Record<string, unknown>[] {
    return this.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
}

async function run(
  args: readonly string[],
  io = new Console(),
): Promise<Console & { status: number }> {
  const status = await main([...args, '--on', redis.url], io);
  return Object.assign(io, { status });
}

describe('holdfast locks', () => {
  test('lists what is held, with all that the store knows, and no owner value', async () => {
    await using one = await locks.acquire('list/1');
    const others = await Promise.all(['list/2', 'other'].map((key) => locks.acquire(key)));
    const { status, json, out } = await run(['locks', 'list/', '--json']);

    expect(status).toBe(0);
    expect(new Set(json.map(({ key }) => key))).toEqual(new Set(['list/1', 'list/2']));
    expect(json).toHaveLength(2);
    expect(json.find(({ key }) => key === 'list/1')).toMatchObject({
      holder: 'the-holder',
      fencingToken: `${one.fencingToken}`,
      contender: one.owner.split(':')[0],
    });
    expect(out).not.toContain(one.owner);
    const table = await run(['locks', 'list/*']);
    expect(table.out).toMatch(
      /^KEY +REMAINING +TOKEN +WAITERS +HOLDER\n(?:list\/[12] .* the-holder\n){2}$/,
    );
    await Promise.all(others.map((lease) => lease.release()));
  });

  test('leaves out what another recipe has stored in the same namespace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-operator-'));
    const config = { backend: 'redis-getset', url: redis.url, namespace: 'mixed' } as const;
    const file = join(folder, 'holdfast.json');
    writeFileSync(file, JSON.stringify(config));
    const [mine, theirs] = await Promise.all([
      openLocks(config),
      openLocks({ ...config, backend: 'redis-simple' }),
    ]);
    await Promise.all([mine.acquire('of getset'), theirs.acquire('of simple')]);
    const io = new Console();

    expect(await main(['locks', '--json', '--config', file], io)).toBe(0);
    expect(io.json.map(({ key }) => key)).toEqual(['of getset']);
    await Promise.all([mine.close({ timeoutMs: 0 }), theirs.close({ timeoutMs: 0 })]);
    rmSync(folder, { recursive: true });
  });
});

describe('holdfast release', () => {
  test('asks nobody where nobody can answer, and releases nothing', async () => {
    await using lease = await locks.acquire('unasked');
    const { status, err } = await run(['release', 'unasked']);

    expect([status, lease.state]).toEqual([2, 'held']);
    expect(err).toContain('Add --yes');
  });

  test.each([
    ['y', 0, 'free.\n', 'not-held'],
    ['no', 1, 'Nothing was released.\n', 'released'],
  ])(
    'says what will happen, and on the answer "%s" ends with %i',
    async (answer, status, last, held) => {
      const lease = await locks.acquire('asked');
      const io = await run(['release', 'asked'], new Console({ answer }));

      expect(io.out).toContain(
        'asked is held by the-holder.\nIt learns of the release at its next renewal, in ',
      );
      expect(io.out).toContain(`token ${lease.fencingToken}`);
      expect(io.out.endsWith(last)).toBe(true);
      expect(io.status).toBe(status);
      expect((await lease.release()).kind).toBe(held);
    },
  );

  test('says of a free key that it was not held', async () => {
    const { status, out } = await run(['release', 'free', '--yes']);

    expect([status, out]).toEqual([0, 'free was not held.\n']);
  });
});

describe('holdfast health', () => {
  test('has a status for probes', async () => {
    const well = await run(['health']);
    expect([well.status, well.out]).toEqual([
      0,
      expect.stringMatching(/^ok {4}127\.0\.0\.1:\d+ {2}[\d.]+ ms\n$/),
    ]);

    const io = new Console();
    expect(await main(['health', '--json', '--on', 'redis://127.0.0.1:1'], io)).toBe(1);
    expect(io.json).toEqual([{ ok: false, nodes: [expect.objectContaining({ ok: false })] }]);
  });
});

describe('holdfast watch', () => {
  test('has a line for each change, also while the store is away', async () => {
    const io = new Console();
    const end = main(['watch', 'w/', '--json', '--every', '100ms', '--on', proxy.url], io);
    const lease = await locks.acquire('w/1');
    await io.hears(/"held"/);
    proxy.cut();
    await io.hears(/"unreachable"/);
    proxy.heal({ drop: true });
    await io.hears(/"reachable"/);
    await lease.release();
    await io.hears(/"ended"/);
    process.emit('SIGINT');

    expect(await end).toBe(0);
    const token = `${lease.fencingToken}`;
    expect(io.json).toMatchObject([
      { change: 'held', key: 'w/1', holder: 'the-holder', fencingToken: token, losses: 0 },
      { change: 'unreachable' },
      { change: 'reachable' },
      { change: 'ended', how: 'released', key: 'w/1', held: false, fencingToken: token },
    ]);
  });

  test('says once that a store which is down is unreachable, and ends with 1 if it never answered', async () => {
    const io = new Console();
    const args = ['watch', '--json', '--every', '100ms', '--for', '1s'];

    expect(await main([...args, '--on', 'redis://127.0.0.1:1'], io)).toBe(1);
    expect(io.json).toMatchObject([{ change: 'unreachable' }]);
  });

  test('watches one key without a search, and says how often its lease ran out', async () => {
    await locks.acquire('one', { ttlMs: 300, renew: false });
    const io = new Console();
    const end = main(['watch', 'one', '--every', '100ms', '--on', redis.url], io);
    await io.hears(/its lease ran out/);
    process.emit('SIGTERM');

    expect(await end).toBe(0);
    expect(io.out).toMatch(
      /^\S+Z one is held by the-holder, token \d+\n\S+Z one is no longer held by the-holder: its lease ran out\n$/,
    );
  });

  test('draws a table on a terminal, as high as that', async () => {
    const all = await Promise.all([1, 2, 3].map((n) => locks.acquire(`t/${n}`)));
    const io = new Console({ isTTY: true, rows: 11 });
    const end = main(['watch', 't/*', '--every', '100ms', '--on', redis.url], io);
    await io.hears(/1 more[^]*held/);
    process.emit('SIGINT');

    expect(await end).toBe(0);
    const frame = io.out.split('\u001B[H\u001B[J').find((each) => each.includes('more')) ?? '';
    const [title, , heading, ...rows] = frame.split('\n');
    expect(title).toBe('redis-simple: 3 held');
    expect(heading).toMatch(/^KEY +REMAINING +TOKEN +WAITERS +FIRST SEEN +LOST +HOLDER$/);
    expect(rows.slice(0, 3)).toEqual([
      expect.stringMatching(/^t\/1 .* ago +0 +the-holder$/),
      expect.stringMatching(/^t\/2 /),
      '… and 1 more',
    ]);
    await Promise.all(all.map((lease) => lease.release()));
  });

  test.each([
    [['watch', '--every', '10ms'], '--every needs at least 100ms'],
    [['watch', 'a', 'b'], 'name one prefix'],
    [['health', 'a'], 'unexpected argument "a"'],
  ])('%j is a usage error', async (args, message) => {
    const { status, err } = await run(args);

    expect([status, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
