import type { MetricId } from './report.ts';

export interface Metric {
  readonly id: MetricId;
  /** As the row is called, with its unit. */
  readonly name: string;
  readonly digits: number;
}

/** The rows of the part Cost, in order. */
export const METRICS: readonly Metric[] = [
  { id: 'acquire-round-trips', name: 'acquire, round trips', digits: 0 },
  { id: 'release-round-trips', name: 'release, round trips', digits: 0 },
  { id: 'acquire-p50-ms', name: 'acquire p50, ms', digits: 2 },
  { id: 'acquire-p99-ms', name: 'acquire p99, ms', digits: 2 },
  { id: 'contended-acquisitions-per-s', name: 'acquisitions/s, contended', digits: 0 },
  { id: 'takeover-ms', name: 'takeover after crash, ms', digits: 0 },
];
