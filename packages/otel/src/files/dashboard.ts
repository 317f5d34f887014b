/** A panel of the dashboard: what it shows, and how. */
interface Panel {
  readonly title: string;
  readonly description: string;
  /** Of Grafana. */
  readonly unit: string;
  /** Queries, by the legend of their series. */
  readonly queries: Readonly<Record<string, string>>;
}

const BY = 'sum by (holdfast_backend';
const NAME = '{{holdfast_backend}}';
const INTERVAL = '$__rate_interval';
const WINDOW = `[${INTERVAL}]`;
const LATE = rateOf('holdfast_renewals_total{holdfast_late="true"}');
const RENEWED = rateOf('holdfast_renewals_total');

const PANELS: readonly Panel[] = [
  {
    title: 'Acquisitions by outcome',
    description:
      'busy: another holder had the key when the wait ended. unknown and unavailable: the store.',
    unit: 'ops',
    queries: {
      [`${NAME} {{holdfast_outcome}}`]: `${BY}, holdfast_outcome) (rate(holdfast_acquire_duration_count${WINDOW}))`,
    },
  },
  {
    title: 'Time to acquire',
    description: 'From the call to its outcome, waiting included.',
    unit: 's',
    queries: quantiles('holdfast_acquire_duration'),
  },
  {
    title: 'Held and waiting now',
    description: 'A growing number of waiters is a key that is too hot.',
    unit: 'short',
    queries: {
      [`held ${NAME}`]: `${BY}) (holdfast_hold_active)`,
      [`waiting ${NAME}`]: `${BY}) (holdfast_acquire_active)`,
    },
  },
  {
    title: 'Time held',
    description: 'From the grant to the end of the lease.',
    unit: 's',
    queries: quantiles('holdfast_hold_duration'),
  },
  {
    title: 'Lost leases by reason',
    description: 'Leases that ended without a release: the work may have run on without its lock.',
    unit: 'short',
    queries: {
      [`${NAME} {{holdfast_reason}}`]: `${BY}, holdfast_reason) (${eventsOf('holdfast_hold_lost_total')})`,
    },
  },
  {
    title: 'Renewals that came late',
    description: 'After more than half of the lease: a slow store, or a blocked event loop.',
    unit: 'percentunit',
    queries: {
      [NAME]: `${LATE} / ${RENEWED}`,
    },
  },
  {
    title: 'Unknown outcomes',
    description: 'No reply came: the key may stay taken for its ttl.',
    unit: 'short',
    queries: {
      [`${NAME} {{holdfast_operation}}`]: `${BY}, holdfast_operation) (${eventsOf('holdfast_doubts_total')})`,
    },
  },
  {
    title: 'Late writes refused',
    description:
      'A guard has refused the write of a late holder. Each would have been a lost update.',
    unit: 'short',
    queries: { refused: `sum(${eventsOf('holdfast_fence_refused_total')})` },
  },
];

function rateOf(counter: string): string {
  return `${BY}) (rate(${counter}${WINDOW}))`;
}

/** Counts events. A counter begins with its first event, which increase() does not see. */
function eventsOf(counter: string): string {
  const first = `${counter} unless ${counter} offset ${INTERVAL}`;
  return `increase(${counter}${WINDOW}) > 0 or ${first} or 0 * ${counter}`;
}

function quantiles(metric: string): Readonly<Record<string, string>> {
  const quantile = (share: number): string =>
    `histogram_quantile(${share}, ${BY}, le) (rate(${metric}_bucket${WINDOW})))`;
  return { [`p50 ${NAME}`]: quantile(0.5), [`p99 ${NAME}`]: quantile(0.99) };
}

/**
 * The dashboard, to be imported into Grafana.
 * @example
 * ```ts
 * log(JSON.stringify(grafanaDashboard()));
 * ```
 */
export function grafanaDashboard(): object {
  const datasource = { name: 'datasource', type: 'datasource', query: 'prometheus' };
  return {
    title: 'Holdfast locks',
    uid: 'holdfast',
    schemaVersion: 39,
    tags: ['holdfast'],
    time: { from: 'now-1h', to: 'now' },
    refresh: '30s',
    templating: { list: [datasource] },
    panels: PANELS.map(panelOf),
  };
}

/** Two in a row. */
function panelOf({ title, description, unit, queries }: Panel, at: number): object {
  const targets = Object.entries(queries).map(([legendFormat, expr], n) => ({
    refId: 'ABCDEF'.charAt(n),
    expr,
    legendFormat,
  }));
  return {
    id: at + 1,
    type: 'timeseries',
    title,
    description,
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos: { h: 8, w: 12, x: 12 * (at % 2), y: 8 * Math.floor(at / 2) },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets,
  };
}
