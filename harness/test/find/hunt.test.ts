import type { Schedule } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { find, type SearchFinding } from '../../src/find/find.ts';
import { inlineRunner } from '../../src/find/open-runners.ts';
import { bestHit } from '../../src/find/search-part.ts';
import type { SearchRequest } from '../../src/find/search-request.ts';
import { SharedLimit } from '../../src/find/shared-memory.ts';
import { subjectOf } from '../../src/locks/index.ts';
import { type Violation } from '../../src/search/index.ts';

const request: SearchRequest = {
  lock: 'redis-simple',
  folder: '.',
  faults: ['failover'],
  fenced: false,
  budget: 1_000,
  seed: 3,
};
const silent = { onProgress() {}, onShrink() {} };

const LATE: Violation = {
  property: 'belief',
  fenced: false,
  kind: 'violated',
  message: '',
  proof: [],
};
const SCHEDULE: Schedule = {
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [],
  faults: [],
};

function search(asked: SearchRequest, jobs: number): Promise<SearchFinding> {
  const trials = Array.from({ length: jobs }, () => inlineRunner(subjectOf('redis-simple')));
  return find(asked, trials, silent);
}

test('what is found does not depend on how many search', async () => {
  const [alone, together] = [await search(request, 1), await search(request, 3)];

  expect(alone.kind).toBe('found');
  expect({ ...together, tally: undefined }).toEqual({ ...alone, tally: undefined });
}, 60_000);

test('a late holder is found together with whatever is worse: the worse counts', async () => {
  const finding = await search({ ...request, faults: ['failover', 'pause'] }, 1);

  expect(finding.kind === 'found' ? finding.traced.story.property : '').toBe('validity');
}, 60_000);

test('a search for late holders finds them', async () => {
  const finding = await search({ ...request, faults: ['pause'], property: 'belief' }, 1);

  expect(finding.kind === 'found' ? finding.traced.story.property : '').toBe('belief');
}, 60_000);

test('the shared bound only ever shrinks', () => {
  const bound = new SharedLimit(100);
  const other = new SharedLimit(bound.shared);

  other.lower(40);
  bound.lower(70);

  expect([bound.n, other.n]).toEqual([40, 40]);
});

test('the bound counts further than 32 bits: a fleet shares billions', () => {
  const bound = new SharedLimit(10_000_000_000);
  bound.lower(9_000_000_001);

  expect(bound.n).toBe(9_000_000_001);
});

test('what lies beyond the bound is passed over: one thread alone would not have come so far', () => {
  const [schedule, violation] = [SCHEDULE, LATE];
  const broken: Violation = { ...LATE, property: 'validity' };
  const late = { schedule, violation, n: 20 };

  expect(bestHit(request, [{ schedule, violation: broken, n: 3_000 }, late])?.n).toBe(20);
  expect(bestHit(request, [{ schedule, violation: broken, n: 1_020 }, late])?.n).toBe(1_020);
  expect(bestHit(request, [])).toBeUndefined();
});
