import { RedisEngine } from '@holdfast/harness/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { microseconds, Pair } from './support/pair.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await Pair.start();
});

afterAll(() => pair.close());

const KEYS = Array.from({ length: 40 }, (_, at) => `k${at}`);
/** On a busy machine all keys may be gone before the first question: then they end further apart. */
const APART_MS_MAX = 256;

test('keys end in the very millisecond in which they end on a real server', async () => {
  let exact = 0;
  for (let apartMs = 1; exact === 0 && apartMs <= APART_MS_MAX; apartMs *= 4)
    exact = await exactAnswers(apartMs);

  expect(exact).toBeGreaterThan(0);
});

/** Asks until all keys are gone, and compares; returns how often only one answer was right, and neither none nor all. */
async function exactAnswers(apartMs: number): Promise<number> {
  let nowUs = 0;
  const engine = new RedisEngine({ nowUs: () => nowUs, runId: 'a'.repeat(40), publish: () => 0 });
  const settings = KEYS.map((key, at) => ['SET', key, 'v', 'PX', `${10 + at * apartMs}`]);
  const times = KEYS.map((key) => ['PEXPIRETIME', key]);
  const replies = await pair.ask([['FLUSHALL'], ...settings, ...times]);
  // Both keep the very same times from here on; what SET makes of PX is the next test's.
  for (const [at, atMs] of replies.slice(-KEYS.length).entries())
    engine.execute(['SET', KEYS[at] ?? '', 'v', 'PXAT', `${Number(atMs)}`]);

  // Polled until all are gone: each answer must be what the engine says at one of the times around it.
  let left = KEYS.length;
  let exact = 0;
  while (left > 0) {
    const [before, count, after] = await pair.ask([['TIME'], ['EXISTS', ...KEYS], ['TIME']]);
    nowUs = microseconds(before);
    const most = Number(engine.execute(['EXISTS', ...KEYS]));
    nowUs = microseconds(after);
    const least = Number(engine.execute(['EXISTS', ...KEYS]));
    left = Number(count);
    expect(left).toBeLessThanOrEqual(most);
    expect(left).toBeGreaterThanOrEqual(least);
    if (most === least && left > 0 && left < KEYS.length) exact++;
  }
  return exact;
}

test('a remaining time counts from the millisecond of the command', async () => {
  for (const ttl of ['10', '20', '30']) {
    const [before, , left, after] = await pair.ask([
      ['TIME'],
      ['SET', 'k', 'v', 'PX', ttl],
      ['PTTL', 'k'],
      ['TIME'],
    ]);
    const passedMs = Math.ceil((microseconds(after) - microseconds(before)) / 1000) + 1;

    const engine = new RedisEngine({
      nowUs: () => microseconds(before),
      runId: 'a'.repeat(40),
      publish: () => 0,
    });
    engine.execute(['SET', 'k', 'v', 'PX', ttl]);

    const simulated = Number(engine.execute(['PTTL', 'k']));
    expect(simulated).toBe(Number(ttl));
    expect(Number(left)).toBeLessThanOrEqual(simulated);
    expect(Number(left)).toBeGreaterThanOrEqual(simulated - passedMs);
  }
});

test('what is set to end in the past is gone at once', async () => {
  const past = [
    ['SET', 'a', 'v', 'PXAT', '1'],
    ['GET', 'a'],
    ['EXISTS', 'a'],
    ['TTL', 'a'],
    ['SET', 'a', 'new', 'NX'],
    ['PEXPIREAT', 'a', '1'],
    ['GET', 'a'],
    ['SET', 'b', 'v'],
    ['EXPIRE', 'b', '-1'],
    ['PTTL', 'b'],
  ];

  expect(await pair.differences(past)).toEqual([]);
});
