import { expect, test } from 'vitest';
import { SHADES } from '../../src/draw/notation.ts';
import { picture } from '../../src/lab/report/details.ts';
import { pageOf } from '../../src/lab/report/page.ts';
import { PAGE_SHADES } from '../../src/lab/report/style.ts';
import { broken, cellOf, judgedTrial, reportOf, stale } from './support/trials.ts';

const sound = judgedTrial();

test('a cell says by a glyph and a number what it shows, and only an unexpected one is ringed', () => {
  const page = pageOf(reportOf([cellOf([judgedTrial(broken), sound])]));
  const stated = { outcome: 'breaks', fenced: 'holds' } as const;
  const asStated = pageOf(reportOf([cellOf([judgedTrial(broken), sound], stated)]));

  expect(page).toMatch(/class="breaks ring"[^>]*><span[^>]*>✗<\/span><span[^>]*>1\/2<\/span>/);
  expect(asStated).toContain('class="breaks"');
});

test('what was not tried is blank, and what tokens did not keep out is said as loudly as the rest', () => {
  const failover = cellOf([judgedTrial(stale)]);
  const delay = { ...cellOf([sound], null, 'zk'), fault: 'delay' } as const;

  const page = pageOf(reportOf([failover, delay]));

  expect(page.match(/<td><\/td>/g)).toHaveLength(2);
  expect(page).toContain('blank: not run');
  expect(page).toContain('<span class="fence breaks"><span class="word">fenced </span>✗</span>');
});

test('nothing is red but the ring of what is not as expected', () => {
  const style = pageOf(reportOf([])).match(/<style>.*?<\/style>/s)?.[0] ?? '';

  expect(style.match(/[^}]*\{[^}]*var\(--red\)[^}]*\}/g)).toEqual([
    expect.stringMatching(/^\.ring\{/),
  ]);
});

test('a backend has its glyph and its colour in the sentence, in the head and at what happened', () => {
  const page = pageOf(reportOf([cellOf([sound], null, 'zk')]));

  const sign = '<span class="sign cyan" aria-hidden="true">▲</span>';
  expect(page).toContain(`<b>${sign}zk</b>`);
  expect(page).toContain(`<span class="name">${sign}zk</span>`);
  expect(page).toContain(`<summary>${sign}<b>`);
});

test('a run that proved nothing says so first, and why', () => {
  const verdict = 'proved-nothing';
  const control = cellOf([sound], null, 'no-lock');

  expect(pageOf(reportOf([control], { verdict }))).toContain(
    'This run proved nothing: without a lock nothing was lost either.',
  );
  expect(pageOf(reportOf([], { verdict }))).toContain(
    'This run proved nothing: no lock was tested.',
  );
  expect(pageOf(reportOf([control]))).not.toContain('proved nothing:');
});

test('servers are listed with the command and the configuration that they were started with', () => {
  const servers = [
    { server: 'ZooKeeper', columns: ['zk'], command: 'java -Xmx64m', config: ['tickTime=100'] },
  ];
  const settings = { ttlMs: 1_500, trials: 3, clients: 3, servers };

  const page = pageOf(reportOf([cellOf([sound])], { settings }));

  expect(page).toContain('<pre>java -Xmx64m\ntickTime=100</pre>');
  expect(pageOf(reportOf([cellOf([sound])]))).not.toContain('How the servers were started');
});

test('of fewer than twenty samples no 95th percentile is shown: it would be the longest', () => {
  const few = pageOf(reportOf([cellOf([judgedTrial({ unavailableMs: [600, 900] })])]));
  const many = pageOf(
    reportOf([cellOf(Array.from({ length: 20 }, (_, n) => judgedTrial({ unavailableMs: [n] })))]),
  );

  expect(few).toContain('median 600 ms, longest of 2 900 ms');
  expect(few).not.toContain('p95');
  expect(many).toContain('p95 18 ms, longest of 20 19 ms');
});

test('faults under which no client waited for long are named, and not drawn', () => {
  const slow = {
    ...cellOf([judgedTrial({ unavailableMs: [2_000] })]),
    fault: 'server-stop',
  } as const;
  const quick = { ...cellOf([judgedTrial({ unavailableMs: [40] })]), fault: 'delay' } as const;

  const page = pageOf(reportOf([quick, slow]));

  expect(page).toContain('no client of any lock waited 500 ms: delay.');
  expect(page).toContain('>server-stop</text>');
  expect(page).not.toContain('>delay</text>');
});

test('a dial that was not turned is said to be, and how to', () => {
  expect(pageOf(reportOf([cellOf([sound])]))).toContain(
    'Only one ttl was measured, so there is no chart of safety against availability. <code>--dial 750,3000,6000</code>',
  );
});

test.each(['failover', 'server-stop', 'majority-down'] as const)(
  'under %s throughput and latency are drawn, with the fault and the silence shaded',
  (fault) => {
    const page = pageOf(reportOf([{ ...cellOf([sound]), fault }]));

    expect(page).toContain('acquired per s');
    expect(page).toContain('ms to acquire');
    // The fault, in a size for screens and one for phones, over each of the two.
    expect(page.match(/fill-opacity="0.16" fill="var\(--soft\)"/g)).toHaveLength(4);
    expect(page.match(/<g[^>]* fill="url\(#hatch-(wide|narrow)\)"/g)).toHaveLength(4);
    expect(page).toContain('32 ms not served');
  },
);

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
    handoverMs: { ...spread, median: ttlMs, interval: { low: ttlMs - 50, high: ttlMs + 50 } },
  }));

  const page = pageOf(reportOf([cellOf([sound])], { dial }));

  expect(page).toContain('none in 3');
  expect(page).toContain('<pattern id="hatch-wide"');
  expect(page).toContain('<pattern id="hatch-narrow"');
  expect(page).not.toContain('The dial was not turned');
});

test.each(['light', 'dark'] as const)(
  'on %s paper outcomes have the colours of drawings',
  (shade) => {
    for (const name of ['green', 'yellow', 'red', 'gray', 'magenta', 'blue', 'cyan'] as const)
      expect(PAGE_SHADES[shade][name]).toBe(SHADES[name][shade]);
  },
);

test('an outage that did not end within the trial is drawn to the end, and the page says so', () => {
  const open = judgedTrial({ unavailableMs: [900, null] });
  const page = pageOf(
    reportOf([cellOf([open, judgedTrial({ unavailableMs: [1_000, 1_100] })], null, 'zk')]),
  );

  expect(page).toContain('>▶ 1.0 s; 1 of 4 not before the trial ended</text>');
  expect(page).toContain('>▶ 1.0 s</text>');
});

test('a picture brings what it uses, and nothing else', () => {
  const drawing =
    '<svg aria-labelledby="t d" role="img"><title id="t">a</title><desc id="d">b</desc><style>\n.used{fill:#fff}.idle{fill:#000}@media print{.used{fill:#111}.idle{fill:#222}}</style>\n' +
    '<defs><pattern id="p"><path/></pattern><marker id="m"><path/></marker></defs>' +
    '<rect class="used more" fill="url(#p)" id="it\'s"/>50 %</svg>';

  expect(picture('a "b"', drawing)).toBe(
    '<img loading="lazy" alt="a &quot;b&quot;" src="data:image/svg+xml;charset=utf-8,' +
      "<svg role='img'><style>.used{fill:%23fff}@media print{.used{fill:%23111}}</style><defs><pattern id='p'><path/></pattern></defs>" +
      "<rect class='used more' fill='url(%23p)' id=%22it's%22/>50 %25</svg>\">",
  );
});

test('a report of version 1, which called two figures differently, is drawn as one of today', () => {
  const report = reportOf([cellOf([judgedTrial(broken), sound])]);
  const cells = report.cells.map(({ figures, ...cell }) => {
    if (figures === null) throw new Error('a cell of two trials has figures');
    const { description: told, availability: course, ...rest } = figures;
    return { ...cell, figures: { ...rest, told, course } };
  });

  expect(pageOf({ ...report, version: 1, cells })).toBe(pageOf(report));
});
