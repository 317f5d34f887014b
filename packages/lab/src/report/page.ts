import { FAULT_MEANINGS } from '@holdfast/check';
import { UNPLAYED } from '../evaluation/plan.ts';
import type { LabReport } from '../evaluation/report.ts';
import { bothPart } from './both.ts';
import { courseChart, outageChart } from './charts.ts';
import { details } from './details.ts';
import { frontierChart } from './frontier.ts';
import { escaped, tag } from './html.ts';
import { matrixTable } from './matrix.ts';
import { sentences } from './sentences.ts';
import { pageStyle } from './style.ts';

/** The whole report as one page, which needs neither a network nor a script. */
export function pageOf(report: LabReport): string {
  const body = [
    head(report),
    says(report),
    matrixTable(report),
    section('How long nobody is served', outageText(), outageChart(report)),
    section('The ttl is a dial', dialText(), frontierChart(report)),
    section('When the leading server dies', courseText(), courseChart(report)),
    section('Beside the simulator', '', bothPart(report.both)),
    section(
      'What happened, cell by cell',
      'First the worst strike of the cell on real servers, then the same fault as a story of the simulator.',
      details(report),
    ),
    section('What the faults are', '', meanings(report)),
    section('How this was measured', '', closing(report)),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Locks on real servers: what they lose, and for how long they are gone</title>
<link rel="icon" href="data:,"><style>${pageStyle()}</style></head>
<body>
${body.join('\n')}
</body></html>
`;
}

function head({ partial, settings, startedAt, by }: LabReport): string {
  const { trials, ttlMs, clients } = settings;
  const how = `${trials} ${trials === 1 ? 'strike' : 'strikes'} a cell, ttl ${ttlMs} ms, ${clients} client processes, ${startedAt.slice(0, 10)}; ${by.slice(0, 2).join(', ')}, on one host`;
  return [
    '<h1>Locks on real servers: what they lose under which fault, and for how long they are gone</h1>',
    tag('p', { class: 'soft' }, escaped(how)),
    partial ? '<p class="partial">Partial: it was ended before everything was played.</p>' : '',
  ].join('\n');
}

function says(report: LabReport): string {
  const items = sentences(report).map(({ name, text }) =>
    tag('li', {}, `<b>${escaped(name)}</b>${escaped(text)}`),
  );
  return tag('ul', { class: 'says' }, items.join('\n'));
}

function section(title: string, text: string, content: string): string {
  if (content === '') return '';
  return `<section><h2>${title}</h2>${text === '' ? '' : `<p>${text}</p>`}\n${content}</section>`;
}

function outageText(): string {
  return 'Each healthy client takes a key of its own and gives it back, all the time. The dot is the median of the longest silence after a strike, the tick the 95th percentile, the line goes to the longest, and to ▶ where it had not ended while we looked. What stands at “none” is no fault: a client rests 10 ms between two rounds, and a machine has other things to do.';
}

function courseText(): string {
  return 'The first strike: every dot is one acquisition of a healthy client, when it was granted and how long it took. Shaded is how long the client that was worst off was not served. Without Sentinels the replica was promoted by hand at once, which nobody is as quick to do.';
}

function dialText(): string {
  return 'A short ttl hands a dead holder’s lock over soon; a long one outlives the servers that know of it. Lines from a point are its interval at 95 %. What died: with redis-simple the master, replaced by Sentinels; with redlock one of five, while the holder reached but three; with zk the leader.';
}

function meanings({ rows }: LabReport): string {
  const items = rows.map((fault) => `<b>${fault}</b> ${escaped(FAULT_MEANINGS[fault])}`);
  return tag('ul', {}, items.map((item) => tag('li', {}, item)).join(''));
}

const UNTRIED = [
  'All servers and clients ran on one host, which has one clock and one network stack: skew and drift between real machines are only simulated (npx holdfast compare).',
  'Clients reach servers through proxies in a process of their own, which add some hundredths of a millisecond each way.',
  'Losing power is played by cutting the end off the log; no disk was harmed.',
  'A rate from few strikes says little: every rate comes with its interval.',
  ...UNPLAYED,
];

function closing({ by, command, notes, tookMs, holdfast, columns }: LabReport): string {
  const meaning = columns.map(({ id, meaning: what }) => `<b>${escaped(id)}</b> ${escaped(what)}`);
  const items = [...meaning, ...[...by, ...notes, ...UNTRIED].map(escaped)];
  return [
    `<pre>${escaped(command)}</pre>`,
    tag(
      'p',
      { class: 'soft' },
      `holdfast ${escaped(holdfast)}; it took ${Math.round(tookMs / 1_000)} s.`,
    ),
    tag('ul', {}, items.map((item) => tag('li', {}, item)).join('\n')),
  ].join('\n');
}
