import { CLIENTS, isRawName } from '../candidate.ts';
import type { Chart } from '../report/chart.ts';
import type { Spread } from '../statistics.ts';
import { table, whole } from '../table.ts';
import type { InFlightResult } from './measure.ts';
import { WORKLOADS } from './workload.ts';

type Figure = (result: InFlightResult) => Spread | undefined;

/** For each client library: CPU per pair, pairs per second, and ours against raw calls with the range of the rounds. */
export function inFlightText(results: readonly InFlightResult[], rounds: number): string {
  const blocks = CLIENTS.flatMap((client) => {
    const own = results.filter((each) => each.client === client);
    if (own.length === 0) return [];
    return [
      `${client}: CPU µs for a pair, by the number in flight`,
      rowsOf(own, ({ cpuUs }) => cpuUs),
      `${client}: pairs a second`,
      rowsOf(own, ({ pairsPerSecond }) => pairsPerSecond),
      againstRaw(own),
    ];
  });
  return [
    `Acquire and release that nobody contends: medians of ${rounds} rounds, all taking turns.`,
    'Raw calls run the scripts of redis-simple. Only they and holdfast draw a fencing token and wake waiters.',
    ...blocks,
  ].join('\n');
}

function rowsOf(results: readonly InFlightResult[], of: Figure): string {
  const names = [...new Set(results.map(({ candidate }) => candidate))];
  return table([
    ['', ...WORKLOADS.map(({ inFlight }) => whole(inFlight))],
    ...names.map((name) => [name, ...medians(results, name, of).map(whole)]),
  ]);
}

function medians(results: readonly InFlightResult[], name: string, of: Figure): readonly number[] {
  return WORKLOADS.map(({ inFlight }) => {
    const result = results.find((each) => each.candidate === name && each.inFlight === inFlight);
    return (result && of(result)?.median) ?? Number.NaN;
  });
}

/** The CPU of our own library by that of raw calls. */
function againstRaw(results: readonly InFlightResult[]): string {
  const own = results.filter(({ candidate }) => candidate === 'holdfast');
  const shown = own.flatMap(({ inFlight, cpuToRaw }) =>
    cpuToRaw === undefined
      ? []
      : `${whole(inFlight)}: ${cpuToRaw.median.toFixed(2)} (${cpuToRaw.min.toFixed(2)} – ${cpuToRaw.max.toFixed(2)})`,
  );
  return `  holdfast by raw, CPU: ${shown.join(', ')}\n`;
}

/** CPU and rate by the number in flight, over each client library. */
export function inFlightCharts(results: readonly InFlightResult[]): readonly Chart[] {
  return CLIENTS.flatMap((client) => {
    const own = results.filter((each) => each.client === client);
    const names = [...new Set(own.map(({ candidate }) => candidate))];
    if (own.length === 0) return [];
    const lines = (of: Figure): Chart['lines'] =>
      names.map((name) => ({
        name,
        isOurs: name === 'holdfast',
        isBase: isRawName(name),
        values: medians(own, name, of),
      }));
    const at = WORKLOADS.map(({ inFlight }) => whole(inFlight));
    return [
      {
        title: `${client}: CPU for a pair of acquire and release`,
        unit: 'µs',
        across: 'pairs in flight',
        at,
        lines: lines(({ cpuUs }) => cpuUs),
      },
      {
        title: `${client}: pairs a second`,
        unit: 'pairs/s',
        across: 'pairs in flight',
        at,
        lines: lines(({ pairsPerSecond }) => pairsPerSecond),
      },
    ];
  });
}
