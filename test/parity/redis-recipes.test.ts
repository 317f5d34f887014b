import type { EngineReply } from '@holdfast/harness/simulator';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACQUIRE, FORCE, INSPECT, RELEASE, RENEW } from '../../packages/redis-simple/test/kit.ts';
import {
  ACQUIRE as ACQUIRE_VOTE,
  FORCE as FORCE_VOTE,
  INSPECT as INSPECT_VOTE,
  INTRODUCE,
  RELEASE as RELEASE_VOTE,
  RENEW as RENEW_VOTE,
} from '../../packages/redlock/test/kit.ts';
import { type CommandLine, Pair } from './support/pair.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await Pair.start();
});

afterAll(() => pair.close());

const owner = fc.constantFrom(
  'anna:1:a',
  'anna:2:a',
  'anna:10:a',
  'bob:1:b',
  'no owner',
  'zoë:3:z',
);
const ttl = fc.constantFrom('60000', '600000', '100000');

function evaluation(
  source: string,
  keys: readonly string[],
  ...args: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<CommandLine> {
  return fc.tuple(...args).map((values) => ['EVAL', source, `${keys.length}`, ...keys, ...values]);
}

const LOCK = ['lock', 'fence'];
const WAKING = ['lock', 'channel'];

/** Scripts of the recipes, and commands by which other clients may have changed their keys. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: evaluation(ACQUIRE.source, LOCK, owner, ttl) },
    { weight: 4, arbitrary: evaluation(ACQUIRE_VOTE.source, ['lock'], owner, ttl) },
    ...[RELEASE, RELEASE_VOTE].map(({ source }) => ({
      weight: 2,
      arbitrary: evaluation(source, WAKING, owner),
    })),
    ...[RENEW, RENEW_VOTE].map(({ source }) => ({
      weight: 2,
      arbitrary: evaluation(source, WAKING, owner, ttl),
    })),
    ...[FORCE, FORCE_VOTE].map(({ source }) => ({
      weight: 1,
      arbitrary: evaluation(source, WAKING),
    })),
    { weight: 2, arbitrary: evaluation(INSPECT.source, LOCK) },
    { weight: 2, arbitrary: evaluation(INSPECT_VOTE.source, ['lock']) },
    { weight: 1, arbitrary: evaluation(INTRODUCE.source, ['list'], owner, ttl) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<CommandLine>(
        ['SET', 'fence', '8000000000000000', 'PX', '90000'],
        ['SET', 'fence', '9007199254740991'],
        ['SET', 'fence', 'x'],
        ['DEL', 'fence'],
        ['SET', 'lock', 'foreign'],
        ['SET', 'lock', 'anna:1:a'],
        ['RPUSH', 'lock', 'a list'],
        ['DEL', 'lock'],
      ),
    },
  ),
  { minLength: 1, maxLength: 30, size: 'max' },
);

test('the recipes’ own scripts reply alike, whatever is stored under their keys', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (commands) => {
      const differences = await pair.differences(commands);

      expect(differences.filter(({ real, simulated }) => !agree(real, simulated))).toEqual([]);
    }),
    { numRuns: 500, seed: 1 },
  );

  expect(pair.compared).toBeGreaterThan(5_000);
});

/** Remaining times and tokens made of the time of day may lie as far apart as the two clocks. */
function agree(real: EngineReply, simulated: EngineReply): boolean {
  if (Array.isArray(real) && Array.isArray(simulated))
    return (
      real.length === simulated.length &&
      real.every((item, at) => agree(item, simulated[at] ?? null))
    );
  const [a, b] = [timeIn(real), timeIn(simulated)];
  if (a !== undefined && b !== undefined) return Math.abs(a - b) < 250_000;
  return JSON.stringify(real) === JSON.stringify(simulated);
}

/** In µs: a token of today, or a remaining time in ms. */
function timeIn(reply: EngineReply): number | undefined {
  if (typeof reply === 'string' && /^1[789]\d{14}$/.test(reply)) return Number(reply);
  return typeof reply === 'number' && reply > 1000 ? reply * 1000 : undefined;
}
