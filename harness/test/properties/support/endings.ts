import { expect, test } from 'vitest';
import { subjectOf } from '../../../src/locks/index.ts';
import { type SearchOptions, search } from '../../../src/search/index.ts';

const LOCKS: readonly string[] = ['memory', 'redis-simple', 'redlock', 'zk'];
const TIMED: readonly string[] = ['memory', 'redis-simple'];
/** A lock that passes a key on too early is found within a few dozen; one that reports late, within a few hundred. */
const BUDGET = 150;
const BUDGET_LATE = 400;
const TIMEOUT_MS = 300_000;

async function found(
  name: string,
  seeds: readonly number[],
  options: Omit<SearchOptions, 'subject' | 'seed'>,
): Promise<readonly string[]> {
  const messages: string[] = [];
  for (const seed of seeds) {
    const { counterexample } = await search({ subject: subjectOf(name), seed, ...options });
    if (counterexample !== undefined)
      messages.push(`seed ${seed}, ${counterexample.n}: ${counterexample.violation.message}`);
  }
  return messages;
}

const VALIDITY = [{ property: 'validity', fenced: false }] as const;

/** Ends of holds: by `close`, by the garbage collector, and while a machine sleeps. */
export function endingTests(seeds: readonly number[]): void {
  test.each(LOCKS)(
    '%s hands no key on while a body still runs whose process has closed its locks',
    {
      timeout: TIMEOUT_MS,
    },
    async (name) => {
      const setup = { shutdown: true };

      expect(
        await found(name, seeds, { faults: ['none'], setup, budget: BUDGET, targets: VALIDITY }),
      ).toEqual([]);
    },
  );

  test.each(LOCKS)(
    '%s has no second leader when the collector runs at any moment',
    {
      timeout: TIMEOUT_MS,
    },
    async (name) => {
      const setup = { collector: true };

      expect(
        await found(name, seeds, { faults: ['none'], setup, budget: BUDGET, targets: VALIDITY }),
      ).toEqual([]);
    },
  );

  test.each(TIMED)(
    'a lease of %s that ended while its machine slept is reported as lost within a second',
    {
      timeout: TIMEOUT_MS,
    },
    async (name) => {
      const setup = { ttlTimes: 4 };
      const targets = [{ property: 'answers', fenced: false }] as const;

      expect(
        await found(name, seeds, { faults: ['suspend'], setup, budget: BUDGET_LATE, targets }),
      ).toEqual([]);
    },
  );
}
