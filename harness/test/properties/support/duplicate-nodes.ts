import type { FaultId } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../src/locks/index.ts';
import { search, type TargetProperty } from '../../../src/search/index.ts';

const FAULTS: readonly FaultId[] = ['none', 'delay', 'lost-reply', 'client-cut', 'pause'];
const TIMEOUT_MS = 300_000;
const WANTED: readonly TargetProperty[] = [
  { property: 'validity', fenced: false },
  { property: 'answers', fenced: false },
  { property: 'liveness', fenced: false },
];

/** Tests locks on two addresses of one server, with `budget` schedules of each fault. */
export function duplicateNodeTests(budget: number): void {
  test.each(
    [subjectOf('redlock-3'), subjectOf('redlock')].flatMap((subject) =>
      FAULTS.map((fault) => ({ subject, fault, nodes: subject.nodes })),
    ),
  )(
    'redlock on $nodes nodes counts a server with several addresses once, and reports nothing false: $fault',
    { timeout: TIMEOUT_MS },
    async ({ subject, fault }) => {
      const setup = { repointed: true };

      const { counterexample } = await search({
        subject,
        faults: [fault],
        setup,
        seed: 1,
        budget,
        targets: WANTED,
      });

      expect(
        counterexample &&
          `${counterexample.violation.message}: ${JSON.stringify(counterexample.schedule)}`,
      ).toBeUndefined();
    },
  );
}
