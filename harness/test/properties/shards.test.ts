import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { find, type SearchFinding } from '../../src/find/find.ts';
import { inlineRunner } from '../../src/find/open-runners.ts';
import type { SearchRequest } from '../../src/find/search-request.ts';
import { subjectOf } from '../../src/locks/index.ts';
import {
  EMPTY_CELL_RESULT,
  loadMatrix,
  mergeCellResults,
  runCell,
} from '../../src/matrix/index.ts';
import { gatherShards } from '../../src/shards/gather-shards.ts';
import { findShard, mergeFind } from '../../src/shards/merge-find.ts';
import { parseShard, textOf } from '../../src/shards/shard-text.ts';

const RUNS = runs(4);
const VERSION = '0.1.0';
const listener = { onProgress() {}, onShrink() {} };

/** Locks that cost little to play, under faults that break them, make them late, or do neither. */
const requests: fc.Arbitrary<SearchRequest> = fc
  .record({
    lock: fc.constantFrom('memory' as const, 'no-lock' as const, 'redis-getset' as const),
    faults: fc.constantFrom<SearchRequest['faults'][]>(
      ['none'],
      ['pause'],
      ['holder-crash'],
      ['drift'],
    ),
    property: fc.constantFrom<SearchRequest['property'][]>(
      undefined,
      'belief',
      'validity',
      'resource',
    ),
    budget: fc.integer({ min: 1, max: 400 }),
    seed: fc.nat(1_000),
  })
  .map((request) => ({ ...request, folder: '.', fenced: false }));

/** As if each shard had been searched elsewhere, and its report sent here. */
async function merged(request: SearchRequest, of: number): ReturnType<typeof mergeFind> {
  const runners = [inlineRunner(subjectOf(request.lock))];
  const files = [];
  for (let k = of; k >= 1; k--) {
    const report = await findShard(request, { k, of }, { runners, listener, holdfast: VERSION });
    files.push({ where: `shard ${k}`, report: parseShard(textOf(report), `shard ${k}`) });
  }
  const shards = gatherShards(files, VERSION);
  if (shards.kind !== 'find') throw new Error('these were of find');
  return await mergeFind(shards, { folder: '.', listener });
}

/** With its counters where nothing was found. */
function shownOf(finding: SearchFinding): object {
  return finding.kind === 'found' ? { n: finding.n, story: finding.traced.story } : finding;
}

function playedIn(finding: SearchFinding): number {
  return finding.kind === 'hang' ? 0 : finding.tally.schedules;
}

test('merged shards of a search equal the search of one machine: in the finding, or in the counters', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 1, max: 5 }), async (request, of) => {
      const whole = await find(request, [inlineRunner(subjectOf(request.lock))], listener);
      const { finding } = await merged(request, of);

      seen.add(whole.kind);
      expect(shownOf(finding)).toEqual(shownOf(whole));
      // Other shards do not know of a finding: each continues until it can find nothing better.
      expect(playedIn(finding)).toBeGreaterThanOrEqual(playedIn(whole));
      expect(playedIn(finding)).toBeLessThanOrEqual(request.budget);
    }),
    { numRuns: RUNS, seed: 1 },
  );
  expect([...seen].toSorted()).toEqual(['found', 'none']);
});

test('shards of a cell, joined in any order, are the cell of one machine', async () => {
  const rows = loadMatrix().rows.filter(({ fault }) =>
    ['pause', 'drift', 'holder-crash'].includes(fault),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...rows),
      fc.constantFrom('no-lock' as const, 'memory' as const, 'redis-getset' as const),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 5 }),
      async (row, column, budget, of) => {
        const subject = subjectOf(column);
        const whole = await runCell(subject, row, { seed: 3, budget });
        let sum = EMPTY_CELL_RESULT;
        for (let first = of - 1; first >= 0; first--)
          sum = mergeCellResults(
            sum,
            await runCell(subject, row, { seed: 3, budget, share: { first, of } }),
          );

        expect(sum).toEqual(whole);
      },
    ),
    { numRuns: RUNS, seed: 1 },
  );
});
