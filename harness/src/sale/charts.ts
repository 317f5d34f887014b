import type { Chart } from './report.ts';
import type { SaleEnvironment, SaleSettings } from './sale.ts';
import type { SaleStep } from './step.ts';
import { DECR, ONE_LOCK, OPTIMISTIC, STRIPES } from './steps.ts';

/** The plan of a chart: the sales that are run, and the setting that is varied. */
export interface ChartPlan {
  readonly id: Chart['id'];
  readonly what: string;
  readonly axis: string;
  readonly values: readonly number[];
  /** The values on real servers, where every sale takes real time. */
  readonly localValues: readonly number[];
  readonly series: Readonly<Record<string, SaleStep>>;
  readonly settings: (value: number, settings: SaleSettings) => SaleSettings;
  readonly why: string;
}

/** The number of requests on real servers, where every sale takes real time. */
const REQUESTS_LOCAL = 300;

export const CHARTS: readonly ChartPlan[] = [
  {
    id: 'inside',
    what: 'sales a second against the time inside the lock',
    axis: 'work, ms',
    values: [0, 1, 2, 5, 10, 20],
    localValues: [0, 2, 10],
    series: { 'one lock': ONE_LOCK, 'eight stripes': STRIPES, DECR },
    settings: (workMs, settings) => ({ ...settings, workMs, stock: settings.requests }),
    why: 'One lock sells one item at a time: the time from one holder to the next limits the rate, however many users and processes there are.',
  },
  {
    id: 'conflicts',
    what: 'an optimistic version against a lock, as conflicts grow',
    axis: 'products',
    values: [5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 5, 1],
    localValues: [2_000, 200, 50, 1],
    series: { optimistic: OPTIMISTIC, 'one lock': ONE_LOCK },
    // Enough of each product that no request is refused: the traffic is measured.
    settings: (products, settings) => ({
      ...settings,
      products,
      stock: settings.requests * products,
    }),
    why: 'The usual advice: an optimistic version if less than 20 % of all tries meet a conflict, with at least three retries; otherwise a lock.',
  },
];

/** Runs all sales of a chart. */
export async function runChart(
  { id, axis, values, localValues, series, settings, why }: ChartPlan,
  environment: SaleEnvironment,
  base: SaleSettings,
  onStep: (text: string) => void,
): Promise<Chart> {
  const isLocal = environment.servers === 'local';
  const requests = isLocal ? Math.min(REQUESTS_LOCAL, base.requests) : base.requests;
  const points: Chart['points'][number][] = [];
  for (const value of isLocal ? localValues : values) {
    onStep(`${axis} ${value}`);
    const figures = [];
    for (const step of Object.values(series))
      figures.push(
        await environment.run({ step, settings: settings(value, { ...base, requests }) }),
      );
    points.push({ at: value, figures });
  }
  return { id, axis, series: Object.keys(series), points, why };
}
