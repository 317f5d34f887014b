import { mkdir, writeFile } from 'node:fs/promises';
import {
  type ChartedPanel,
  type TimelineChart,
  timelinePage,
} from '../../../../../harness/test/kit/timeline-chart.ts';
import { binned, growthOf } from './growth.ts';
import { explainedShare, explainedSpans, type LoggedInjection, type Span } from './injection.ts';
import type { Arm } from './orders.ts';
import { type Soak, TTL_MS } from './soak.ts';
import { countsOf, lateIn, type Stall, stallsOf } from './stalls.ts';

const FOLDER = 'out/topology-soak';
/** The stage prints this file. */
const SUMMARY = 'reports/topology-soak.txt';
const ARMS = ['all', 'none'] as const;
const COLOURS = { all: 'green', none: 'blue' } as const;
const ARM_TEXTS = { all: 'acknowledged by all', none: 'by none' } as const;
const BINS = 120;

/** Writes the figures, a page with a chart of each soak, and the summary; returns the summary. */
export async function report(soaks: readonly Soak[]): Promise<string> {
  const summary = soaks.map(summaryOf).join('\n');
  await mkdir(FOLDER, { recursive: true });
  await mkdir('reports', { recursive: true });
  await writeFile(SUMMARY, `${summary}\n`);
  await writeFile(`${FOLDER}/figures.json`, JSON.stringify(soaks, undefined, 1));
  const page = timelinePage(
    'Locks on Sentinel and Cluster under random faults',
    soaks.map(chartOf),
  );
  await writeFile(`${FOLDER}/index.html`, page);
  return summary;
}

function summaryOf(soak: Soak): string {
  const { options, log, fromMs, untilMs } = soak;
  const minutes = ((untilMs - fromMs) / 60_000).toFixed(1);
  const share = Math.round(100 * explainedShare(log, soak, TTL_MS));
  return [
    `soak on ${options.topology}, seed ${options.seed}: ${minutes} min, ${options.processes} processes, ${log.length} injections: ${kindsOf(soak)}`,
    ...ARMS.map((arm) => `  ${ARM_TEXTS[arm]}: ${armSummary(soak, arm)}`),
    `  a change of the master would explain a violation in ${share} % of the time; two masters at once for at most ${seconds(longestChangeMs(soak))} s`,
    `  after the warm-up and at the end: ${growthOf(soak, soak)
      .map(({ name, before, after }) => `${name} ${before.toFixed(1)} -> ${after.toFixed(1)}`)
      .join(', ')}; ${soak.locksLeft} locks left`,
    ...soak.unfinished.map((each) => `  unfinished: ${each}`),
    `  event loops were late by ${lateIn(soak, soak).toFixed(0)} ms; stalls:${stallsIn(soak)}`,
  ].join('\n');
}

function longestChangeMs({ log }: Soak): number {
  const changes = log.flatMap((each) => each.changes);
  return Math.max(0, ...changes.map(({ fromMs, untilMs }) => untilMs - fromMs));
}

function stallsIn(soak: Soak): string {
  const stalls = ARMS.flatMap((arm) => stallsOf(soak, arm));
  const text = ({ arm, fromMs, untilMs, lateMs, outcomes, during }: Stall): string =>
    `\n    ${arm}: ${seconds(untilMs - fromMs)} s from ${seconds(fromMs - soak.fromMs)} s, late by ${lateMs.toFixed(0)} ms, ${JSON.stringify(outcomes)}, during: ${during.join(', ')}`;
  return stalls.length === 0 ? ' none' : stalls.map(text).join('');
}

function kindsOf({ log }: Soak): string {
  const counts = new Map<string, number>();
  for (const { kind } of log) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Array.from(counts, ([kind, count]) => `${count} ${kind}`).join(', ');
}

function armSummary(soak: Soak, arm: Arm): string {
  const own = soak.violations.filter((each) => each.arm === arm);
  const count = (kind: string): number => own.filter((each) => each.kind === kind).length;
  const unexplained = own.filter(({ explainedBy }) => explainedBy === undefined).length;
  const { granted = 0, ...others } = countsOf(soak.outcomes[arm]);
  const ends = own.flatMap(({ untilMs, explainedBy }) =>
    explainedBy === undefined ? [] : untilMs - promotedMs(explainedBy),
  );
  const late = ends.filter((ms) => ms > TTL_MS).length;
  const latest =
    ends.length === 0
      ? ''
      : `, the last to end ${seconds(Math.max(...ends))} s after its promotion, ${late} after more than a ttl`;
  return `${granted} grants, ${count('overlap')} overlaps, ${count('token')} tokens that went back, ${unexplained} of them unexplained${latest}; not granted: ${JSON.stringify(others)}`;
}

function promotedMs({ changes, fromMs }: LoggedInjection): number {
  return changes[0]?.fromMs ?? fromMs;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function chartOf(soak: Soak): TimelineChart {
  const { fromMs, untilMs, log, violations, options } = soak;
  const sinceStart = (ms: number): number => (ms - fromMs) / 1_000;
  const spanOf = (each: Span) => ({
    fromS: sinceStart(each.fromMs),
    untilS: sinceStart(each.untilMs),
  });
  const kinds = [...new Set(log.map(({ kind }) => kind))].toSorted();
  return {
    title: options.topology,
    text: `${options.processes} processes, ttl ${TTL_MS / 1_000} s. Hatched: a change of the master would explain a violation. ${ARMS.map((arm) => `${ARM_TEXTS[arm]}: ${armSummary(soak, arm)}`).join('. ')}.`,
    untilS: sinceStart(untilMs),
    rows: [...kinds, ...ARMS.map(rowOf)],
    spans: [
      ...log.map((each) => ({
        ...spanOf(each),
        row: each.kind,
        colour: each.changes.length > 0 ? 'magenta' : 'gray',
      })),
      ...violations.map((each) => ({ ...spanOf(each), row: rowOf(each.arm), colour: 'red' })),
    ],
    windows: explainedSpans(log, TTL_MS).map((each) =>
      spanOf({ ...each, untilMs: Math.min(untilMs, each.untilMs) }),
    ),
    above: grantsOf(soak),
    below: usageOf(soak),
  };
}

function rowOf(arm: Arm): string {
  return `violations, ${ARM_TEXTS[arm]}`;
}

function grantsOf({ outcomes, secondsFromMs, usage, fromMs, untilMs }: Soak): ChartedPanel {
  const binMs = Math.max(1_000, (untilMs - fromMs) / BINS);
  const late = binned(usage, ({ lateMs }) => lateMs, {
    fromMs,
    untilMs,
    binMs: Math.max(15_000, binMs),
  });
  const series = ARMS.map((arm) => {
    const all = Array.from(outcomes[arm]['granted'] ?? [], (count, second) => ({
      count,
      atMs: secondsFromMs + second * 1_000,
    }));
    const points = binned(all, ({ count }) => count, { fromMs, untilMs, binMs });
    return { name: arm, colour: COLOURS[arm], points };
  });
  return {
    label: 'grants per s, and ms by which event loops were late',
    series: [...series, { name: 'late', colour: 'red', points: late }],
  };
}

function usageOf({ usage, fromMs, untilMs }: Soak): ChartedPanel {
  const bins = { fromMs, untilMs, binMs: Math.max(15_000, (untilMs - fromMs) / BINS) };
  return {
    label: 'of a process',
    series: [
      {
        name: 'open files',
        colour: 'blue',
        points: binned(usage, (each) => each.descriptors, bins),
      },
      { name: 'heap, MB', colour: 'magenta', points: binned(usage, (each) => each.heapMb, bins) },
      { name: 'timers', colour: 'cyan', points: binned(usage, (each) => each.timers, bins) },
    ],
  };
}
