import { expect, test } from 'vitest';
import type { LabReport } from '../../src/lab/evaluation/report.ts';
import { pageOf } from '../../src/lab/report/page.ts';
import { broken, cellOf, judgedTrial, reportOf } from './support/trials.ts';

/** A report as somebody else may have written it to a file. */
const REPORT = JSON.parse(JSON.stringify(wholeReport()));
const MARKUP = '\'"></style></title><script>alert(1)</script><img src=x onerror=alert(1)>';
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;

function wholeReport(): LabReport {
  const spread = { samples: 1, unended: 0, median: 700, p95: 700, max: 700 };
  const some = { hits: 1, of: 3, interval: { low: 0, high: 0.6 } };
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><text x="1">a</text></svg>';
  const cell = {
    ...cellOf([judgedTrial(broken)], null, 'zk'),
    reason: 'why',
    timeline: drawing,
    story: { name: 'zk-pause', ofAnother: false, drawing },
  };
  const seen = { hits: 1, of: 3 };
  const claim = { claim: 'belief', simulator: seen, laboratory: seen } as const;
  const claims = [
    { ...claim, onlySeenBy: 'simulator', isKnown: true } as const,
    { ...claim, claim: 'resource', onlySeenBy: null, isKnown: false } as const,
  ];
  const difference = { onlySeenBy: 'simulator', why: 'so', replay: 'a', occurred: true } as const;
  return reportOf([cell], {
    notes: ['a note'],
    dial: [{ column: 'zk', ttlMs: 750, broken: some, handoverMs: spread }],
    settings: {
      ttlMs: 1_500,
      trials: 3,
      clients: 3,
      servers: [{ server: 'ZooKeeper', columns: ['zk'], command: 'java', config: ['a=b'] }],
    },
    both: {
      verdict: 'explained',
      cells: [{ fault: 'failover', variant: 'clocks level', column: 'zk', claims }],
      known: [{ ...difference, cells: ['zk'] }],
      simulator: {},
    },
  });
}

type Path = readonly (string | number)[];

/** Numbers that are shown as they are; others are calculated with first. */
const SHOWN = new Set([
  'hits',
  'of',
  'lost',
  'accepted',
  'refused',
  'stale',
  'trials',
  'ttlMs',
  'tookMs',
]);

/** Where texts are, and numbers that are shown. */
function leavesOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'string' || SHOWN.has(String(path.at(-1)))) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, [...path, name]));
}

function withLeaf(path: Path, leaf: string): LabReport {
  const report = structuredClone(REPORT);
  const parent = path.slice(0, -1).reduce((part, name) => part[name], report);
  parent[path.at(-1) ?? ''] = leaf;
  return report;
}

/** Undefined where the report is not one that could be drawn. */
function pageWith(path: Path, leaf: string): string | undefined {
  try {
    return pageOf(withLeaf(path, leaf));
  } catch {
    return undefined;
  }
}

test('markup in any field of a report stays text', () => {
  const leaves = leavesOf(REPORT);
  const pages = leaves.map((path) => ({ path: path.join('.'), page: pageWith(path, MARKUP) }));

  const drawn = pages.filter(({ page }) => page?.includes('alert(1)'));
  const led = drawn.filter(({ page }) => page?.includes('<script'));

  expect(drawn.length).toBeGreaterThan(20);
  expect(led.map(({ path }) => path)).toEqual([]);
});

test.each(['timeline', 'story.drawing'])('a %s that Holdfast did not draw is left out', (where) => {
  const page = pageWith(['cells', 0, ...where.split('.')], DRAWING) ?? '';

  expect(page).not.toContain('alert');
  expect(page).toContain('left out, because Holdfast did not draw it');
  expect(page.match(/<img/g)).toHaveLength(1);
});

test('the page lets nothing run and loads nothing', () => {
  expect(pageOf(REPORT)).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
  );
});
