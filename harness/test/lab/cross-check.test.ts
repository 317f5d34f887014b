import { describe, expect, test } from 'vitest';
import { formatLab } from '../../src/lab/command/format.ts';
import { addSimulatorResults } from '../../src/lab/command/simulated.ts';
import type { CrossCheck, CrossCheckClaim } from '../../src/lab/evaluation/cross-check.ts';
import { pageOf } from '../../src/lab/report/page.ts';
import { broken, cellOf, judgedTrial, reportOf } from './support/trials.ts';

const AGREED: CrossCheckClaim = {
  claim: 'validity',
  simulator: { hits: 9, of: 64 },
  laboratory: { hits: 3, of: 3 },
  onlySeenBy: null,
  isKnown: false,
};
const DIFFERENT: CrossCheckClaim = {
  claim: 'belief',
  simulator: { hits: 9, of: 64 },
  laboratory: { hits: 0, of: 3 },
  onlySeenBy: 'simulator',
  isKnown: true,
};
const INERT: CrossCheckClaim = {
  ...AGREED,
  claim: 'resource',
  simulator: { hits: 0, of: 0 },
  laboratory: { hits: 0, of: 3 },
};
const WHY = {
  cells: ['failover, clocks level on redis-simple'],
  onlySeenBy: 'simulator',
  why: 'The replica is quick.',
  replay: 'simple-failover',
  occurred: true,
} as const;

function both(claims: readonly CrossCheckClaim[], more: Partial<CrossCheck> = {}): CrossCheck {
  const place = { fault: 'failover', variant: 'clocks level', column: 'redis-simple' } as const;
  return { verdict: 'explained', cells: [{ ...place, claims }], known: [], simulator: {}, ...more };
}

const cells = [cellOf([judgedTrial(broken)])];

function printed(said: CrossCheck): string {
  return formatLab(reportOf(cells, { both: said }));
}

describe('side by side', () => {
  test('a cell has a glyph of the simulator and trials of the laboratory', () => {
    const text = printed(both([AGREED, DIFFERENT, INERT], { known: [WHY] }));

    expect(text).toMatch(/^failover, clocks level +redis-simple +✗ 3\/3 +✗ ≠ 0\/3 +– 0\/3$/m);
    expect(text).toContain(
      '≠ failover, clocks level on redis-simple: late: simulator found, laboratory none in 3\n',
    );
    expect(text).toContain('simulator: ✗ found, – cannot matter\n');
    expect(text).toContain('The replica is quick.\n  npx holdfast replay simple-failover\n');
    expect(text).toContain('agree in 2 of 3 verdicts and differ in 1: the matrix says why.');
  });

  test('a row whose name is too long has it on a line of its own', () => {
    const long = both([AGREED]);
    const named = long.cells.map((cell) => ({ ...cell, variant: 'all servers, a newcomer' }));

    const text = printed({ ...long, cells: named });

    expect(text).toMatch(/^failover, all servers, a newcomer\n {28}redis-simple +✗ 3\/3$/m);
  });

  test('a difference without a known reason is marked, and the report says so', () => {
    const unknown = both([AGREED, { ...DIFFERENT, isKnown: false }], { verdict: 'unexplained' });

    expect(printed(unknown)).toContain('(✗ ≠ 0/3)');
    expect(printed(unknown)).toContain('the matrix does not say why for 1 of them');
    expect(pageOf(reportOf(cells, { both: unknown }))).toContain('The matrix does not say why.');
  });

  test('a known difference that did not occur is named, and none is none of so many', () => {
    const none = { ...AGREED, simulator: { hits: 0, of: 64 }, laboratory: { hits: 0, of: 3 } };
    const said = both([none], { verdict: 'same', known: [{ ...WHY, occurred: false }] });

    expect(printed(said)).toContain('Known, but not seen in this run: failover');
    expect(printed(said)).toContain('✓ none in 64 schedules or more');
    expect(printed(said)).toContain('agree in all 1 verdicts.');
    expect(pageOf(reportOf(cells, { both: said }))).toContain('Known, but not seen in this run');
  });

  test('the page says in words what both saw, and leads to the cell', () => {
    const page = pageOf(reportOf(cells, { both: both([AGREED, DIFFERENT, INERT]) }));

    expect(page).toContain('<h2>Beside the simulator</h2>');
    expect(page).toContain('<td>found, 3 of 3</td>');
    expect(page).toContain('<td class="different">≠ found, none in 3</td>');
    expect(page).toContain('<td>cannot matter, none in 3</td>');
    expect(page).toContain('<a href="#redis-simple-failover">redis-simple</a>');
    expect(pageOf(reportOf(cells))).not.toContain('Beside the simulator');
  });
});

describe('a cell leads to its story', () => {
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg"><text fill="#abc">100 % &amp; “a”</text></svg>';

  function pageWith(ofAnother: boolean): string {
    const story = { name: 'simple-failover', ofAnother, drawing };
    return pageOf(reportOf(cells.map((cell) => ({ ...cell, story }))));
  }

  test('by its name, a command, and a picture that is part of the page', () => {
    expect(pageWith(false)).toContain('<code>npx holdfast replay simple-failover</code>');
    expect(pageWith(true)).toContain('<code>npx holdfast replay simple-failover --on all</code>');
    const [, source = ''] = /the story simple-failover" src="([^"]+)"/.exec(pageWith(false)) ?? [];
    const [, data = ''] = source.replaceAll('&amp;', '&').split(/,(.*)/s);
    expect(decodeURIComponent(data)).toBe(drawing.replaceAll('"', "'"));
  });

  test('and where there is none, to the command that searches for one', () => {
    expect(pageOf(reportOf(cells))).toContain(
      '<code>npx holdfast find redis-simple --fault failover</code>',
    );
  });
});

test('the simulator runs once, before any server starts, and its results are in every report', async () => {
  const asked: string[] = [];
  const said = both([AGREED]);
  const withSimulator = await addSimulatorResults(
    {
      storyForCell: ({ fault, column }) => {
        asked.push(`${fault} on ${column}`);
        return Promise.resolve(
          column === 'redis-simple'
            ? { name: 'simple-failover', ofAnother: false, drawing: '<svg/>' }
            : undefined,
        );
      },
      verdicts: {
        play: () => Promise.resolve(void asked.push('play')),
        crossCheck: (played) => ({ ...said, simulator: played }),
      },
    },
    { faults: ['failover'], backends: ['redis-simple'] },
  );

  const report = withSimulator(reportOf(cells));

  expect(asked[0]).toBe('play');
  expect(asked).toContain('failover on redis-simple');
  expect(report.cells[0]?.story?.name).toBe('simple-failover');
  expect(report.both?.simulator).toEqual(cells);
});
