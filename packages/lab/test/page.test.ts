import { expect, test } from 'vitest';
import { SHADES } from '../../check/src/draw/notation.ts';
import { pageOf } from '../src/report/page.ts';
import { picture } from '../src/report/picture.ts';
import { sentences } from '../src/report/sentences.ts';
import { PAGE_SHADES } from '../src/report/style.ts';
import { broken, cellOf, late, reportOf, strike } from './support/trials.ts';

const sound = strike();

function sentenceOf(cells: Parameters<typeof reportOf>[0]): string | undefined {
  return sentences(reportOf(cells))[0]?.text;
}

test('a sentence says what breaks, what holds, what comes late, and what the tokens did', () => {
  const breaks = cellOf([strike(broken)]);
  const comesLate = { ...cellOf([strike(late)]), fault: 'pause' } as const;
  const holds = { ...cellOf([sound]), fault: 'delay' } as const;

  expect(sentenceOf([breaks, comesLate, holds])).toBe(
    'two held at once under failover, held under the other 2, late holders under pause; by its tokens 0 late writes refused, none let in.',
  );
  expect(sentenceOf([holds])).toContain('held under the one fault that was tried');
});

test('how long nobody was served is said of what put another server there by itself', () => {
  expect(sentenceOf([cellOf([sound], null, 'zk')])).toContain(
    '20 ms without service when the leader died',
  );
  expect(sentenceOf([cellOf([sound])])).not.toContain('without service');
});

test('a cell says by a glyph and a number what it shows, and only an unexpected one is ringed', () => {
  const page = pageOf(reportOf([cellOf([strike(broken), sound])]));
  const stated = { outcome: 'breaks', fenced: 'holds' } as const;
  const asStated = pageOf(reportOf([cellOf([strike(broken), sound], stated)]));

  expect(page).toMatch(/class="breaks ring"[^>]*><span[^>]*>✗<\/span><span[^>]*>1\/2<\/span>/);
  expect(asStated).toContain('class="breaks"');
});

test('a report that was cut short says so first', () => {
  expect(pageOf(reportOf([cellOf([sound])], { partial: true }))).toContain('Partial:');
  expect(pageOf(reportOf([cellOf([sound])]))).not.toContain('Partial:');
});

test('what was said elsewhere cannot become markup', () => {
  const page = pageOf(reportOf([cellOf([sound])], { command: '<script>alert(1)</script>' }));

  expect(page).not.toContain('<script');
  expect(page).toContain('&lt;script&gt;');
});

test('a curve is drawn where several ttls were tried, and what broke in none stands in a band of its own', () => {
  const spread = { samples: 1, unended: 0, median: 700, p95: 700, max: 700 };
  const never = { hits: 0, of: 3, interval: { low: 0, high: 0.6 } };
  const dial = [750, 3_000].map((ttlMs) => ({
    column: 'zk',
    ttlMs,
    broken: never,
    handoverMs: { ...spread, p95: ttlMs },
  }));

  const page = pageOf(reportOf([cellOf([sound])], { dial }));

  expect(page).toContain('none in 3');
  expect(page).toContain('<pattern id="none"');
  const crashed = {
    ...cellOf([strike({ handoverMs: 900 })], null, 'zk'),
    fault: 'holder-crash',
  } as const;
  const oneTtl = pageOf(reportOf([cellOf([sound], null, 'zk'), crashed]));
  expect(oneTtl).not.toContain('The ttl is a dial');
});

test.each(['light', 'dark'] as const)(
  'on %s paper outcomes have the colours of drawings',
  (shade) => {
    for (const name of ['green', 'yellow', 'red', 'gray', 'magenta'] as const)
      expect(PAGE_SHADES[shade][name]).toBe(SHADES[name][shade]);
  },
);

test('what did not end while anybody looked is drawn to the end, and said', () => {
  const open = strike({ unavailableMs: [900, null] });
  const page = pageOf(
    reportOf([cellOf([open, strike({ unavailableMs: [1_000, 1_100] })], null, 'zk')]),
  );

  expect(page).toContain('1.0 s; 1 of 4 not while we looked');
  expect(page).toContain('▶</text>');
  expect(sentenceOf([cellOf([open, sound, sound], null, 'zk')])).toContain(
    'when the leader died, 1 of 4 clients for longer than we looked',
  );
});

test('a picture brings what it uses, and nothing else', () => {
  const drawing =
    '<svg aria-labelledby="t d"><title id="t">a</title><desc id="d">b</desc><style>\n.used{fill:#fff}.idle{fill:#000}@media print{.used{fill:#111}.idle{fill:#222}}</style>\n' +
    '<defs><pattern id="p"><path/></pattern><marker id="m"><path/></marker></defs>' +
    '<rect class="used more" fill="url(#p)" aria-label="it\'s"/>50 %</svg>';

  expect(picture('a "b"', drawing)).toBe(
    '<img loading="lazy" alt="a &quot;b&quot;" src="data:image/svg+xml;charset=utf-8,' +
      "<svg><style>.used{fill:%23fff}@media print{.used{fill:%23111}}</style><defs><pattern id='p'><path/></pattern></defs>" +
      "<rect class='used more' fill='url(%23p)' aria-label=%22it's%22/>50 %25</svg>\">",
  );
});
