/* oxlint-disable vitest/valid-title -- the titles are data */
import { describe, expect, test } from 'vitest';
import { CHECKS } from './checks.ts';
import { runCheck } from './run.ts';
import type { BackendUnderTest } from './subject.ts';

/**
 * The contract as Vitest tests: one for each check, each with its own subject. A check that does not apply is skipped
 * with its reason. A flaw that the subject declares must show.
 * @example
 * ```ts
 * describeBackend('my lock', () => ({
 *   capabilities,
 *   open: (host) => openRedisSimple({ source: 'redis://localhost' }, host),
 * }));
 * ```
 */
export function describeBackend(
  name: string,
  make: () => BackendUnderTest | Promise<BackendUnderTest>,
): void {
  describe(name, () => {
    for (const check of CHECKS) {
      // In sequence even if suites run concurrently: a fault of one check would affect the others.
      test.sequential(check.name, async (context) => {
        const outcome = await runCheck(check, await make());
        if (outcome.kind === 'skipped') context.skip(outcome.reason);
        expect(outcome.kind, outcome.reason).not.toBe('broken');
      });
    }
  });
}
