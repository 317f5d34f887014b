import { deploymentOf, isControl } from '../../locks/index.ts';
import { meaningOfFault, NONE } from '../../simulator/index.ts';
import { UNPLAYED } from '../evaluation/choreographies.ts';
import { OUTAGE_NOTES } from '../evaluation/deployments.ts';
import type { LabReport } from '../evaluation/report.ts';
import { availabilityCharts } from './availability-chart.ts';
import { crossCheckPart } from './cross-check.ts';
import { details } from './details.ts';
import { frontierChart } from './frontier.ts';
import { escaped, signTag, tag } from './html.ts';
import { matrixTable } from './matrix.ts';
import { faultsWithoutOutage, NOTABLE_TEXT, outageChart } from './outage-chart.ts';
import { list, sentences } from './sentences.ts';
import { pageStyle } from './style.ts';
import { type LabReportOfVersion1, ofToday } from './version-1.ts';

/** The page runs no script and loads nothing, whatever a report read from a file contains. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The whole report, of any version, as one page, which needs neither network nor script, and allows none. */
export function pageOf(given: LabReport | LabReportOfVersion1): string {
  const report = ofToday(given);
  const body = [
    head(report),
    sentencesPart(report),
    matrixTable(report),
    section('How long clients are not served', outageText(report), outageChart(report)),
    frontierPart(report),
    section('When servers are taken away', availabilityText(report), availabilityCharts(report)),
    section('Beside the simulator', '', crossCheckPart(report.both)),
    section(
      'What happened, cell by cell',
      'First the worst trial of the cell on real servers, then the same fault as a story of the simulator.',
      details(report),
    ),
    section('What the faults are', '', meanings(report)),
    section('How this was measured', '', closing(report)),
  ];
  return withClipsNumbered(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Locks on real servers: what they lose, and for how long they are gone</title>
<link rel="icon" href="data:,"><style>${pageStyle()}</style></head>
<body>
${body.join('\n')}
</body></html>
`);
}

/** Plot counts its clips from the start of the process; in a page they count from one, so that equal reports give equal pages. */
function withClipsNumbered(page: string): string {
  const names = new Map<string, string>();
  return page.replaceAll(/plot-clip-\d+/g, (name) => {
    const own = names.get(name) ?? `clip-${names.size + 1}`;
    names.set(name, own);
    return own;
  });
}

function head({ partial, verdict, cells, settings, startedAt, by }: LabReport): string {
  const { trials, ttlMs, clients } = settings;
  const how = `${trials} ${trials === 1 ? 'trial' : 'trials'} a cell, ttl ${ttlMs} ms, ${clients} client processes, ${startedAt.slice(0, 10)}; ${by.slice(0, 2).join(', ')}, on one host`;
  return [
    '<h1>Locks on real servers: what they lose under which fault, and for how long they are gone</h1>',
    tag('p', { class: 'soft' }, escaped(how)),
    partial ? '<p class="partial">Partial: the run was ended before all cells were run.</p>' : '',
    verdict === 'proved-nothing' ? tag('p', { class: 'partial' }, nothingText(cells)) : '',
  ].join('\n');
}

function nothingText(cells: LabReport['cells']): string {
  const control = cells.find(({ column, outcome }) => isControl(column) && outcome === 'nothing');
  return `This run proved nothing: ${control === undefined ? 'no lock was tested' : escaped(control.reason ?? 'without a lock nothing was lost either')}.`;
}

function sentencesPart(report: LabReport): string {
  const items = sentences(report).map(({ name, text }) =>
    tag('li', {}, `<b>${signTag(name)}${escaped(name)}</b>${escaped(text)}`),
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
      : ` Not drawn, because no client of any lock waited ${NOTABLE_TEXT}: ${escaped(list(quiet))}.`;
  return `Each healthy client acquires and releases its own key in a loop. The sign is the median of the longest time without a grant after the fault. The line goes to the longest, or to ▶ if it had not ended when the trial did. A tick is the 95th percentile, of 20 samples or more. The times at “${NONE}” are not caused by a fault: a client sleeps 10 ms between two rounds, and a machine has other work.${rest}`;
}

function availabilityText({ cells }: LabReport): string {
  const isOld = cells.every(({ figures }) => figures?.availability.rate === undefined);
  const above =
    'Above: acquisitions of healthy clients granted per second, in steps of 100 ms. Below: how long each took, at the time of its grant.';
  const which = 'The trial with the median outage is shown.';
  const fault =
    '↯ is the fault. Gray: until the fault is over, or a takeover has happened. Hatched: the worst client is not served.';
  const notes = OUTAGE_NOTES.join(' ');
  if (isOld)
    return `How long each acquisition of a healthy client took, in the first trial. Hatched: the worst client is not served. ${notes}`;
  return `${which} ${above} ${fault} ${notes}`;
}

/** The frontier, or the command that measures it. */
function frontierPart(report: LabReport): string {
  const chart = frontierChart(report);
  const notMeasured =
    'Only one ttl was measured, so there is no chart of safety against availability. <code>--dial 750,3000,6000</code> measures three more ttls, in about as many minutes.';
  return section(
    'The ttl is a dial',
    chart === '' ? '' : frontierText(report),
    chart === '' ? tag('p', {}, notMeasured) : chart,
  );
}

function frontierText({ dial, columns }: LabReport): string {
  const measured = new Set(dial.map(({ column }) => column));
  const rest = columns.map(({ id }) => id).filter((id) => !isControl(id) && !measured.has(id));
  const died = [...measured].flatMap((id) => {
    const { died: what } = deploymentOf(id)?.dial ?? {};
    return what === undefined ? [] : escaped(`with ${id} ${what}`);
  });
  const without = rest.length === 0 ? '' : ` Not measured for ${escaped(list(rest))}.`;
  return `A short ttl frees the lock of a dead holder soon. With a long one a lease outlives the servers that know of it. Lines from a point are the 95 % intervals of its rate and its median. What died: ${died.join('; ')}.${without}`;
}

function meanings({ rows }: LabReport): string {
  const items = rows.map((fault) => `<b>${escaped(fault)}</b> ${escaped(meaningOfFault(fault))}`);
  return tag('ul', {}, items.map((item) => tag('li', {}, item)).join(''));
}

const UNTRIED = [
  'All servers and clients ran on one host, which has one clock and one network stack. Skew and drift between machines are only simulated (npx holdfast compare).',
  'Clients reach servers through proxies in another process, which add some hundredths of a millisecond each way.',
  'A power loss is imitated by cutting the end off the log.',
  'A rate from few trials says little, so every rate has its interval.',
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
      `holdfast ${escaped(holdfast)}; the run took ${Math.round(tookMs / 1_000)} s.`,
    ),
    tag('ul', {}, items.map((item) => tag('li', {}, item)).join('\n')),
    serversPart(report),
  ].join('\n');
}

/** The commands and settings of all servers: an outage depends on its settings as much as on its kind. */
function serversPart({ settings: { servers = [] } }: LabReport): string {
  if (servers.length === 0) return '';
  const entries = servers.map(({ server, columns, command, config }) => {
    const names = `<b>${escaped(server)}</b> <span class="soft">${escaped(columns.join(', '))}</span>`;
    return `${tag('p', {}, names)}${tag('pre', {}, escaped([command, ...config].join('\n')))}`;
  });
  return [
    tag('h3', {}, '<b>How the servers were started</b>'),
    tag('p', {}, 'DIR and PORT replace what differs from server to server.'),
    ...entries,
  ].join('\n');
}
