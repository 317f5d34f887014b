import { expect, test } from 'vitest';
import { failedLabCell } from '../../src/lab/evaluation/judge-lab-cell.ts';
import type { LabCell, LabReport } from '../../src/lab/evaluation/report.ts';
import { sentences } from '../../src/lab/report/sentences.ts';
import { broken, cellOf, judgedTrial, late, lossy, reportOf, stale } from './support/trials.ts';

const sound = judgedTrial();
const tokenless = judgedTrial({ fenced: null });
const anew = judgedTrial({
  tokensGrow: false,
  fenced: { accepted: 10, refused: 7, lost: 0, stale: 0 },
});
const refusing = judgedTrial({ ...late, fenced: { accepted: 10, refused: 2, lost: 0, stale: 0 } });

function sentenceOf(cells: readonly LabCell[], more: Partial<LabReport> = {}): string | undefined {
  return sentences(reportOf(cells, more))[0]?.text;
}

function under(fault: LabCell['fault'], ...trials: Parameters<typeof cellOf>[0]): LabCell {
  return { ...cellOf(trials), fault };
}

test('it says what breaks, what holds, what comes late, and what the tokens did', () => {
  const cells = [
    under('failover', judgedTrial(broken)),
    under('pause', refusing),
    under('delay', sound),
  ];

  expect(sentenceOf(cells)).toBe(
    'two held at once under failover, held under 2 others, late holders under pause; tokens refused 2 late writes, accepted none.',
  );
});

test('it counts faults, and contention is none', () => {
  expect(sentenceOf([under('none', sound)])).toContain('held under contention;');
  expect(sentenceOf([under('none', sound), under('delay', sound)])).toContain(
    'held under the one fault tested;',
  );
  expect(
    sentenceOf([under('none', sound), under('delay', sound), under('pause', sound)]),
  ).toContain('held under all 2 faults tested;');
});

test('it says how many faults were not tried, so that no lock looks safe for want of them', () => {
  const rows = ['none', 'delay', 'pause', 'failover'] as const;

  expect(sentenceOf([under('delay', sound)], { rows })).toContain(
    'the one fault tested, 2 not run;',
  );
});

test('a lost update without a second holder is not called two holders', () => {
  expect(sentenceOf([under('delay', judgedTrial(lossy))])).toMatch(
    /^an update was lost under delay;/,
  );
});

test('an accepted late write is shown with its fault, and no count is shown as none', () => {
  const text = sentenceOf([under('failover', judgedTrial(stale)), under('pause', refusing)]);

  expect(text).toContain('tokens refused 2 late writes, 1 late write accepted under failover.');
  expect(text).not.toContain('none');
});

test('a write that is refused because tokens restarted is not called late', () => {
  const text = sentenceOf([under('restart-empty', anew), under('pause', refusing)]);

  expect(text).toContain(
    'tokens refused 2 late writes, tokens restarted under restart-empty (7 writes refused, the holder’s or not).',
  );
  expect(sentenceOf([under('restart-empty', anew)])).not.toContain('late write refused');
});

test('without tokens there is nothing to say of them, and without a late write nothing to praise', () => {
  expect(sentenceOf([under('delay', tokenless)])).toContain('; no tokens.');
  expect(sentenceOf([under('delay', sound)])).toContain('; no late write came.');
});

test('a cell that could not be played is shown with the reason, and counts as neither held nor tried in vain', () => {
  const failed = failedLabCell(
    { fault: 'failover', column: 'redis-simple' },
    'the proxy died',
    null,
  );

  expect(sentenceOf([failed])).toBe('could not be run under failover: the proxy died.');
  expect(sentenceOf([under('delay', sound), failed])).toBe(
    'held under the one fault tested; could not be run under failover: the proxy died; no late write came.',
  );
});

test('a column of which nothing was played by the end says no more than that', () => {
  const columns = [{ id: 'zk', backend: 'zk', meaning: 'zk' }];

  expect(sentenceOf([], { columns })).toBe('not tested.');
});

test('a control that lost nothing is not called one', () => {
  const lost = { unfenced: { accepted: 10, refused: 0, lost: 4, stale: 0 } };

  expect(sentenceOf([cellOf([judgedTrial(lost)], null, 'no-lock')])).toContain(
    'lost 4 of 10 updates: the control',
  );
  expect(sentenceOf([cellOf([sound], null, 'no-lock')])).toBe(
    'lost none of 10 updates: nothing to compare with, so nothing is shown.',
  );
});

test('many faults are a number, for the matrix below names them', () => {
  const faults = ['delay', 'reorder', 'pause', 'failover', 'torn-log', 'swizzle'] as const;

  expect(sentenceOf(faults.map((fault) => under(fault, judgedTrial(broken))))).toContain(
    'two held at once under 6 faults;',
  );
});

test('how long nobody was served is said of what put another server there by itself', () => {
  expect(sentenceOf([cellOf([sound], null, 'zk')])).toContain(
    '20 ms without service when the leader died',
  );
  expect(sentenceOf([cellOf([sound])])).not.toContain('without service');
});

test('only clients that were not served any more are counted', () => {
  const open = judgedTrial({ unavailableMs: [900, null] });
  const gone = judgedTrial({ unavailableMs: [null, null] });
  const unseen = judgedTrial({ unavailableMs: [] });

  expect(sentenceOf([cellOf([open, sound, sound], null, 'zk')])).toContain(
    'when the leader died, 1 of 4 clients until the trial ended.',
  );
  expect(sentenceOf([cellOf([gone, open], null, 'zk')])).toContain(
    '; 3 of 4 clients until the trial ended without service when the leader died.',
  );
  expect(sentenceOf([cellOf([unseen], null, 'zk')])).not.toContain('died');
});
