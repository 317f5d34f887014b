import { grafanaDashboard } from '@holdfast/otel/files';
import type { Prometheus, TimeRange } from './server.ts';

/** A panel of the dashboard, of what Grafana reads from it. */
export interface DashboardPanel {
  readonly title: string;
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** A panel with what Prometheus returns for its expressions. */
export interface FilledPanel {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly PanelSeries[];
}

export interface PanelSeries {
  /** The expression that it is of. */
  readonly expr: string;
  readonly name: string;
  /** Seconds and values, without those that are no number. */
  readonly samples: readonly (readonly [number, number])[];
}

/** Grafana's `$__rate_interval` is at least so many scrapes. */
const SCRAPES = 4;

export function dashboardPanels(): readonly DashboardPanel[] {
  return (grafanaDashboard() as { readonly panels: readonly DashboardPanel[] }).panels;
}

/** Sends every expression as Grafana does. `range.stepS` is the interval between scrapes, too. */
export async function filledPanels(
  prometheus: Prometheus,
  range: TimeRange,
): Promise<readonly FilledPanel[]> {
  return await Promise.all(
    dashboardPanels().map(async ({ title, fieldConfig, targets }) => {
      const found = targets.map((target) => seriesOf(prometheus, range, target));
      return { title, unit: fieldConfig.defaults.unit, series: (await Promise.all(found)).flat() };
    }),
  );
}

async function seriesOf(
  prometheus: Prometheus,
  range: TimeRange,
  { expr, legendFormat }: DashboardPanel['targets'][number],
): Promise<readonly PanelSeries[]> {
  const sent = expr.replaceAll('$__rate_interval', `${SCRAPES * range.stepS}s`);
  const series = await prometheus.range(sent, range);
  return series.map(({ labels, samples }) => ({
    expr,
    name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? ''),
    samples: samples.filter(([, value]) => Number.isFinite(value)),
  }));
}
