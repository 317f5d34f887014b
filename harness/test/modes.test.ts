import { FAULT_IDS, type Subject } from '@holdfast/harness/simulator';
import type { Script } from '@holdfast/redis/port';
import { openRedisSimple } from '@holdfast/redis-simple';
import { expect, test } from 'vitest';
import { subjectOf } from '../src/locks/index.ts';
import { READERS, searchModes, VARIANTS } from './kit/modes.ts';

const BUDGET = 30;
const MUTANT_BUDGET = 5_000;
const TIMEOUT_MS = 300_000;

/** Few: `test/deep/modes.test.ts` plays every fault. */
const CELLS = VARIANTS.flatMap(([variant, modeOf]) => [
  ...['none', 'lost-reply', 'pause'].map(
    (fault) => ['redis-simple', variant, fault, modeOf] as const,
  ),
  ...['none', 'pause'].map((fault) => ['memory', variant, fault, modeOf] as const),
  ['zk', variant, 'lost-reply', modeOf] as const,
]);

test.each(CELLS)(
  '%s, %s: no two holds that exclude each other are valid at once under %s',
  {
    timeout: TIMEOUT_MS,
  },
  async (name, _variant, fault, modeOf) => {
    expect(FAULT_IDS).toContain(fault);
    const { counterexample, tally } = await searchModes(subjectOf(name), modeOf, {
      faults: [fault],
      budget: BUDGET,
    });

    expect(counterexample?.violation.message).toBeUndefined();
    expect(tally.schedules).toBe(BUDGET);
  },
);

/** redis-simple with one change to its scripts, which must be in one of them. */
function mutant(find: string, replace: string): Subject {
  const changed = (script: Script): Script => ({
    ...script,
    source: script.source.replace(find, () => replace),
  });
  return {
    ...subjectOf('redis-simple'),
    open: ({ node }, host) => {
      const spoilt = new Proxy(node, {
        get(target, name) {
          if (name === 'script')
            return (script: Script, ...rest: [string[], string[], never]) =>
              target.script(changed(script), ...rest);
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
      return openRedisSimple({ node: spoilt }, host);
    },
  };
}

test.each([
  [
    'a reader that is not counted after its renewal',
    READERS,
    'none',
    "redis.call('ZADD', holders, text(now + tonumber(ARGV[2])), ARGV[1])",
    "redis.call('ZREM', holders, ARGV[1])",
  ],
] as const)('%s is detected within 5,000 schedules', { timeout: TIMEOUT_MS }, async (...row) => {
  const [, modeOf, fault, find, replace] = row;
  const found = await searchModes(mutant(find, replace), modeOf, {
    faults: [fault],
    budget: MUTANT_BUDGET,
  });

  expect(found.counterexample?.violation.message).toMatch(/both held k validly/);
});
