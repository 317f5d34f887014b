import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLocks } from 'holdfast';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer, ZooKeeperServer } from '../../../../harness/test/kit/real-servers.ts';

/** Far above what any of these needs, and below the test's limit: what hangs ends itself, and is seen by its code. */
const KILL_AFTER_MS = 20_000;
/** Long enough for another process to start and request the key meanwhile. */
const BODY_MS = 1_800;
const TTL_MS = 3_000;

/** Output of a process: a word, and its time by the clock that all processes of the machine share. */
interface Said {
  readonly word: string;
  readonly atMs: number;
}

class Child {
  readonly said: Said[] = [];
  readonly ended: Promise<number | null>;
  #hasEnded = false;
  readonly #heard = new Set<() => void>();

  constructor(config: object, script: string) {
    const source = `
      import { openLocks } from 'holdfast';
      setTimeout(() => process.exit(99), ${KILL_AFTER_MS}).unref();
      const say = (word) => console.log(word + ' ' + process.hrtime.bigint() / 1000n);
      const sleep = (ms) => new Promise((resume) => setTimeout(resume, ms));
      const locks = await openLocks(${JSON.stringify(config)});
      ${script}`;
    const cwd = fileURLToPath(new URL('..', import.meta.url));
    const args = ['--input-type=module', '--eval', source];
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word = '', atUs] = line.split(' ');
      this.said.push({ word, atMs: Number(atUs) / 1_000 });
      for (const hear of this.#heard) hear();
    });
    this.ended = new Promise((resolve) =>
      child.once('close', (code) => {
        this.#hasEnded = true;
        resolve(code);
      }),
    );
  }

  async hears(word: string): Promise<void> {
    const isSaid = (): boolean => this.said.some((each) => each.word === word);
    while (!isSaid()) {
      if (this.#hasEnded) throw new Error(`it never said ${word}`);
      const more = new Promise<void>((resume) => void this.#heard.add(resume));
      await Promise.race([more, this.ended]);
    }
  }

  atMs(word: string): number {
    return this.said.find((each) => each.word === word)?.atMs ?? Number.NaN;
  }
}

/** Shuts down 50 ms after its body has begun, which looks at no signal. */
const WORKER = (close: string): string => `
  process.once('SIGTERM', async () => {
    const report = await locks.close(${close});
    say('closed:' + report?.stillHeld.length);
  });
  await locks.use('k', async () => {
    say('in');
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50);
    await sleep(${BODY_MS});
    say('out');
  });
  say('done');`;

const NEXT = `await locks.use('k', () => say('in')); say('done'); await locks.close();`;

let redis: RedisServer;
let zooKeeper: ZooKeeperServer;
beforeAll(async () => {
  [redis, zooKeeper] = await Promise.all([RedisServer.start(), ZooKeeperServer.start()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([redis.close(), zooKeeper.close()]);
});

const redisConfig = (library: string): object => ({
  backend: 'redis-simple',
  url: redis.url,
  library,
  // The collector and a busy machine may hold up a renewal for seconds.
  ttlMs: 2 * TTL_MS,
});

describe.each([
  ['redis-simple over ioredis', () => redisConfig('ioredis')],
  ['redis-simple over redis', () => redisConfig('redis')],
  ['zk', () => ({ backend: 'zk', url: zooKeeper.url, ttlMs: TTL_MS })],
] as const)('a process on %s that gets SIGTERM while a body runs', (_name, config) => {
  test('lets another in only when the body has ended, and then at once', async () => {
    const worker = new Child(config(), WORKER(''));
    await worker.hears('in');
    const next = new Child(config(), NEXT);

    expect(await Promise.all([worker.ended, next.ended])).toEqual([0, 0]);
    expect(next.atMs('in')).toBeGreaterThan(worker.atMs('out'));
    expect(worker.said.map(({ word }) => word).toSorted()).toEqual([
      'closed:0',
      'done',
      'in',
      'out',
    ]);
  });

  test('keeps others out until the body has ended, although it waits no longer for it', async () => {
    const worker = new Child(config(), WORKER('{ timeoutMs: 300 }'));
    await worker.hears('closed:1');
    const next = new Child(config(), NEXT);

    expect(await Promise.all([worker.ended, next.ended])).toEqual([0, 0]);
    expect(worker.atMs('out')).toBeGreaterThan(worker.atMs('closed:1'));
    expect(next.atMs('in')).toBeGreaterThan(worker.atMs('out'));
  });
});

/**
 * Leads as long as its signal, or one made of it, has not aborted; nothing else refers to the lease. The rubbish makes the
 * collector go through the whole heap several times.
 */
const LEADER = (signal: string): string => `
  locks.on('leaked', () => say('leaked'));
  const lead = async () => {
    const lease = await locks.acquire('leader');
    (${signal}).addEventListener('abort', () => say('down'));
  };
  await lead();
  say('up');
  const rubbish = [];
  for (let i = 0, end = Date.now() + 4_000; Date.now() < end; i++) {
    rubbish[i % 50] = Array.from({ length: 10_000 }, (_, j) => ({ i, j }));
    if (i % 20 === 0) await sleep(50);
  }
  say('later');
  await sleep(${TTL_MS});
  say('over');`;

describe.each([
  ['its signal', 'lease.signal'],
  ['a signal made of its signal', 'globalThis.either = AbortSignal.any([lease.signal])'],
])('a leader that listens to %s and keeps nothing else', (_what, signal) => {
  test('leads on while the collector runs, and steps down when it is lost', async () => {
    const leader = new Child(redisConfig('ioredis'), LEADER(signal));
    await leader.hears('later');
    const locks = await openLocks(redis.url);
    const second = await locks.tryAcquire('leader');
    await locks.forceRelease('leader');
    await locks.close();

    expect(await leader.ended).toBe(0);
    expect(second).toBeNull();
    expect(leader.said.map(({ word }) => word)).toEqual(['up', 'later', 'down', 'over']);
  });
});
