import type { HoldMode } from '@holdfast/core/backend';
import { FAULT_IDS, type Subject } from '@holdfast/harness/simulator';
import type { Script } from '@holdfast/redis/port';
import { openRedisSimple } from '@holdfast/redis-simple';
import { expect, test } from 'vitest';
import { subjectOf } from '../src/locks/index.ts';
import { search, type TargetProperty } from '../src/search/index.ts';

const READERS = (op: { readonly id: number }): HoldMode =>
  op.id % 3 === 0 ? { kind: 'exclusive' } : { kind: 'shared' };
const PERMITS = (op: { readonly id: number }): HoldMode => ({
  kind: 'permits',
  permits: (op.id % 2) + 1,
  of: 2,
});
const VARIANTS = [
  ['readers and writers', READERS],
  ['permits', PERMITS],
] as const;
const VALIDITY: TargetProperty = { property: 'validity', fenced: false };
const FENCED: TargetProperty = { property: 'resource', fenced: true };
const BUDGET = 60;
const MUTANT_BUDGET = 5_000;
const TIMEOUT_MS = 300_000;

function inModes(subject: Subject, modeOf: NonNullable<Subject['modeOf']>): Subject {
  return { ...subject, modeOf };
}

async function searched(subject: Subject, faults: readonly string[], budget: number) {
  return await search({ subject, faults, targets: [VALIDITY, FENCED], budget, seed: 7 });
}

const CELLS = VARIANTS.flatMap(([variant, modeOf]) => [
  ...['none', 'lost-reply', 'pause'].map(
    (fault) => ['redis-simple', variant, fault, modeOf] as const,
  ),
  ...['none', 'pause'].map((fault) => ['memory', variant, fault, modeOf] as const),
]);

test.each(CELLS)(
  '%s, %s: no two holds that exclude each other are valid at once under %s',
  {
    timeout: TIMEOUT_MS,
  },
  async (name, _variant, fault, modeOf) => {
    expect(FAULT_IDS).toContain(fault);
    const { counterexample, tally } = await searched(
      inModes(subjectOf(name), modeOf),
      [fault],
      BUDGET,
    );

    expect(counterexample?.violation.message).toBeUndefined();
    expect(tally.schedules).toBe(BUDGET);
  },
);

/** redis-simple with one change to its scripts, which must be in one of them. */
function mutant(modeOf: NonNullable<Subject['modeOf']>, find: string, replace: string): Subject {
  const changed = (script: Script): Script => ({
    ...script,
    source: script.source.replace(find, () => replace),
  });
  return {
    ...inModes(subjectOf('redis-simple'), modeOf),
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
  const subject = mutant(modeOf, find, replace);
  const found = await searched(subject, [fault], MUTANT_BUDGET);

  expect(found.counterexample?.violation.message).toMatch(/both held k validly/);
});
