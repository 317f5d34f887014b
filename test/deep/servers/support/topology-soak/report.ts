import { mkdir, writeFile } from 'node:fs/promises';
import {
  type ChartedPanel,
  type TimelineChart,
  timelinePage,
} from '../../../../../harness/test/kit/timeline-chart.ts';
import { binned, growthOf } from './growth.ts';
import { explainedShare } from './injection.ts';
import type { Arm } from './orders.ts';
import { type Soak, TTL_MS } from './soak.ts';

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
  const most = Math.max(...soak.keys.map(({ all }) => all));
  return [
    `soak on ${options.topology}, seed ${options.seed}: ${minutes} min, ${options.processes} processes, ${log.length} injections: ${kindsOf(soak)}`,
    ...ARMS.map((arm) => `  ${ARM_TEXTS[arm]}: ${armSummary(soak, arm)}`),
    `  a change of the master would explain a violation in ${share} % of the time`,
    `  of a process: ${growthOf(soak, soak)
      .map(({ name, before, after }) => `${name} ${before.toFixed(1)} -> ${after.toFixed(1)}`)
      .join(', ')}; at most ${most} keys; ${soak.locksLeft} locks left`,
  ].join('\n');
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
  const grants = soak.grants[arm].reduce((sum, each) => sum + each, 0);
  const delays = own.flatMap(({ fromMs, explainedBy }) =>
    explainedBy === undefined ? [] : fromMs - explainedBy.fromMs,
  );
  const latest =
    delays.length === 0
      ? ''
      : `, latest ${seconds(Math.max(...delays))} s after the start of its injection`;
  return `${grants} grants, ${count('overlap')} overlaps, ${count('token')} tokens that went back, ${unexplained} of them unexplained${latest}; not granted: ${JSON.stringify(soak.denied[arm])}`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function chartOf(soak: Soak): TimelineChart {
  const { fromMs, untilMs, log, violations, options } = soak;
  const sinceStart = (ms: number): number => (ms - fromMs) / 1_000;
  const spanOf = (each: { readonly fromMs: number; readonly untilMs: number }) => ({
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
        colour: each.changesMaster ? 'magenta' : 'gray',
      })),
      ...violations.map((each) => ({ ...spanOf(each), row: rowOf(each.arm), colour: 'red' })),
    ],
    windows: log
      .filter(({ changesMaster }) => changesMaster)
      .map((each) => spanOf({ ...each, untilMs: Math.min(untilMs, each.untilMs + TTL_MS) })),
    above: grantsOf(soak),
    below: usageOf(soak),
  };
}

function rowOf(arm: Arm): string {
  return `violations, ${ARM_TEXTS[arm]}`;
}

function grantsOf({ grants, grantsFromMs, fromMs, untilMs }: Soak): ChartedPanel {
  const binMs = Math.max(1_000, (untilMs - fromMs) / BINS);
  const series = ARMS.map((arm) => {
    const all = Array.from(grants[arm], (count, second) => ({
      count,
      atMs: grantsFromMs + second * 1_000,
    }));
    const points = binned(all, ({ count }) => count, { fromMs, untilMs, binMs });
    return { name: arm, colour: COLOURS[arm], points };
  });
  return { label: 'grants per s', series };
}

function usageOf({ usage, fromMs, untilMs }: Soak): ChartedPanel {
  const bins = { fromMs, untilMs, binMs: Math.max(5_000, (untilMs - fromMs) / BINS) };
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
