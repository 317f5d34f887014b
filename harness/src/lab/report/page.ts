import { isControl } from '../../locks/index.ts';
import { meaningOfFault } from '../../simulator/index.ts';
import { UNPLAYED } from '../evaluation/plan.ts';
import type { LabReport } from '../evaluation/report.ts';
import { availabilityCharts } from './availability-chart.ts';
import { crossCheckPart } from './cross-check.ts';
import { details } from './details.ts';
import { frontierChart } from './frontier.ts';
import { escaped, signed, tag } from './html.ts';
import { matrixTable } from './matrix.ts';
import { faultsWithoutOutage, NOTABLE_TEXT, outageChart } from './outage-chart.ts';
import { list, sentences } from './sentences.ts';
import { pageStyle } from './style.ts';

/** Whatever a report that was read from a file brings along, nothing runs and nothing is loaded. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The whole report as one page, which needs neither a network nor a script, and lets none in. */
export function pageOf(report: LabReport): string {
  const body = [
    head(report),
    answersPart(report),
    matrixTable(report),
    section('How long nobody is served', outageText(report), outageChart(report)),
    frontierPart(report),
    section('When servers are taken away', availabilityText(report), availabilityCharts(report)),
    section('Beside the simulator', '', crossCheckPart(report.both)),
    section(
      'What happened, cell by cell',
      'First the worst strike of the cell on real servers, then the same fault as a story of the simulator.',
      details(report),
    ),
    section('What the faults are', '', meanings(report)),
    section('How this was measured', '', closing(report)),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Locks on real servers: what they lose, and for how long they are gone</title>
<link rel="icon" href="data:,"><style>${pageStyle()}</style></head>
<body>
${body.join('\n')}
</body></html>
`;
}

function head({ partial, verdict, cells, settings, startedAt, by }: LabReport): string {
  const { trials, ttlMs, clients } = settings;
  const how = `${trials} ${trials === 1 ? 'strike' : 'strikes'} a cell, ttl ${ttlMs} ms, ${clients} client processes, ${startedAt.slice(0, 10)}; ${by.slice(0, 2).join(', ')}, on one host`;
  return [
    '<h1>Locks on real servers: what they lose under which fault, and for how long they are gone</h1>',
    tag('p', { class: 'soft' }, escaped(how)),
    partial ? '<p class="partial">Partial: it was ended before everything was played.</p>' : '',
    verdict === 'proved-nothing' ? tag('p', { class: 'partial' }, nothingText(cells)) : '',
  ].join('\n');
}

function nothingText(cells: LabReport['cells']): string {
  const control = cells.find(({ column, outcome }) => isControl(column) && outcome === 'nothing');
  return `This run proved nothing: ${control === undefined ? 'no lock was tried' : escaped(control.reason ?? 'without a lock nothing was lost either')}.`;
}

function answersPart(report: LabReport): string {
  const items = sentences(report).map(({ name, text }) =>
    tag('li', {}, `<b>${signed(name)}${escaped(name)}</b>${escaped(text)}`),
  );
  return tag('ul', { class: 'says' }, items.join('\n'));
}

function section(title: string, text: string, content: string): string {
  if (content === '') return '';
  return `<section><h2>${title}</h2>${text === '' ? '' : `<p>${text}</p>`}\n${content}</section>`;
}

function outageText(report: LabReport): string {
  const quiet = faultsWithoutOutage(report);
  const rest =
    quiet.length === 0
      ? ''
      : ` Not drawn, for no client of any lock waited ${NOTABLE_TEXT} there: ${escaped(list(quiet))}.`;
  return `Each healthy client takes a key of its own and gives it back, all the time. The sign is the median of the longest silence after a strike, the line goes to the longest, and to ▶ where it had not ended while we looked; a tick is the 95th percentile, of 20 samples or more. What stands at “none” is no fault: a client rests 10 ms between two rounds, and a machine has other things to do.${rest}`;
}

function availabilityText({ cells }: LabReport): string {
  const isOld = cells.every(({ figures }) => figures?.course.rate === undefined);
  const above =
    'Above, how many acquisitions of healthy clients were granted in each 100 ms, as a rate; below, how long each took, at the moment when it was granted.';
  const which = 'Of all strikes the one whose outage was the median.';
  const fault =
    '↯ is the strike. Gray: until the fault is over, or answered by who takes over. Hatched: the client that was worst off is not served.';
  const byHand =
    'Without Sentinels the replica was promoted by hand at once, which nobody is as quick to do.';
  if (isOld)
    return `How long each acquisition of a healthy client took, in the first strike. Hatched: the client that was worst off is not served. ${byHand}`;
  return `${which} ${above} ${fault} ${byHand}`;
}

/** The frontier, or how to have it drawn. */
function frontierPart(report: LabReport): string {
  const chart = frontierChart(report);
  const unturned =
    'The dial was not turned, so the frontier between safety and availability is not here. <code>--dial 750,3000,6000</code> plays three more ttls, and takes about as many minutes.';
  return section(
    'The ttl is a dial',
    chart === '' ? '' : frontierText(report),
    chart === '' ? tag('p', {}, unturned) : chart,
  );
}

function frontierText({ dial, columns }: LabReport): string {
  const turned = new Set(dial.map(({ column }) => column));
  const rest = columns.map(({ id }) => id).filter((id) => !isControl(id) && !turned.has(id));
  const without = rest.length === 0 ? '' : ` Not turned for ${escaped(list(rest))}.`;
  return `A short ttl hands a dead holder’s lock over soon; a long one outlives the servers that know of it. Lines from a point are its intervals at 95 %, of the rate and of the median. What died: with redis-simple the master, replaced by Sentinels; with redis-getset its one server, which came back empty; with redlock one of five, while the holder reached but three; with zk the leader.${without}`;
}

function meanings({ rows }: LabReport): string {
  const items = rows.map((fault) => `<b>${escaped(fault)}</b> ${escaped(meaningOfFault(fault))}`);
  return tag('ul', {}, items.map((item) => tag('li', {}, item)).join(''));
}

const UNTRIED = [
  'All servers and clients ran on one host, which has one clock and one network stack: skew and drift between real machines are only simulated (npx holdfast compare).',
  'Clients reach servers through proxies in a process of their own, which add some hundredths of a millisecond each way.',
  'Losing power is played by cutting the end off the log; no disk was harmed.',
  'A rate from few strikes says little: every rate comes with its interval.',
  ...UNPLAYED,
];

function closing(report: LabReport): string {
  const { by, command, notes, tookMs, holdfast, columns } = report;
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
    serversPart(report),
  ].join('\n');
}

/** How each server was started: what it was told says as much of an outage as what it is. */
export function serversPart({ settings: { servers = [] } }: LabReport): string {
  if (servers.length === 0) return '';
  const entries = servers.map(({ server, columns, command, config }) => {
    const names = `<b>${escaped(server)}</b> <span class="soft">${escaped(columns.join(', '))}</span>`;
    return `${tag('p', {}, names)}${tag('pre', {}, escaped([command, ...config].join('\n')))}`;
  });
  return [
    tag('h3', {}, '<b>How the servers were started</b>'),
    tag('p', {}, 'DIR and PORT stand for what differs from one to the next.'),
    ...entries,
  ].join('\n');
}
