import { percentile } from '../../check/index.ts';
import type { ProbeRecord } from '../trials/trial-record.ts';
import { lengthOf, longestUnserved } from '../trials/unserved-span.ts';
import type { JudgedTrial } from './figures.ts';
import type { CellFigures } from './report.ts';

type AvailabilityTimeline = CellFigures['availability'];

/** The most points for a drawing: the slow ones, and every n-th of the rest. */
const POINTS_MAX = 240;
/** Many times as long as a probe's round, and short compared with any outage. */
const STEP_MS = 100;

/**
 * The service over time in one trial: the one with the median outage, so that the picture does not show an exception.
 */
export function availabilityTimeline(trials: readonly JudgedTrial[]): AvailabilityTimeline {
  const trial = medianOf(trials);
  if (trial === undefined) return { outageMs: 0, points: [] };
  const { fromMs, healedMs, untilMs, healthy } = trial.record;
  const silence = worstClientSpan(trial);
  return {
    outageMs: Math.round(silence === undefined ? 0 : lengthOf(silence)),
    points: pointsOf(healthy),
    ...(silence === undefined ? {} : { silence: shortened(silence) }),
    fromMs: Math.round(fromMs),
    healedMs: Math.round(healedMs),
    untilMs: Math.round(untilMs),
    rate: rateOf(healthy, fromMs, untilMs),
  };
}

/**
 * Ranks trials by their worst client. An outage that did not end is longer than one that did. Of two in the middle it
 * is the shorter.
 */
function medianOf(trials: readonly JudgedTrial[]): JudgedTrial | undefined {
  const sorted = trials
    .map((trial) => ({ trial, ms: outageOf(trial) }))
    .toSorted((a, b) => (a.ms === b.ms ? 0 : a.ms - b.ms));
  return sorted[Math.max(0, Math.ceil(sorted.length / 2) - 1)]?.trial;
}

function outageOf({ judged }: JudgedTrial): number {
  return Math.max(0, ...judged.unavailableMs.map((ms) => ms ?? Number.POSITIVE_INFINITY));
}

function worstClientSpan({ record }: JudgedTrial): AvailabilityTimeline['silence'] {
  const silences = record.healthy.map((probed) => longestUnserved(probed, record.untilMs));
  return silences.toSorted((a, b) => weight(b) - weight(a))[0];
}

function weight(silence: NonNullable<AvailabilityTimeline['silence']>): number {
  return silence.ended ? lengthOf(silence) : Number.POSITIVE_INFINITY;
}

function shortened({
  fromMs,
  untilMs,
  ended,
}: NonNullable<AvailabilityTimeline['silence']>): AvailabilityTimeline['silence'] {
  return { fromMs: Math.round(fromMs), untilMs: Math.round(untilMs), ended };
}

function pointsOf(healthy: readonly ProbeRecord[]): AvailabilityTimeline['points'] {
  const samples = healthy.flatMap((probed) => probed.samples.filter(({ ok }) => ok));
  const step = Math.ceil(samples.length / POINTS_MAX);
  const tookMs = samples.map((sample) => sample.tookMs);
  const slowMs = percentile(tookMs, 0.9) ?? 0;
  return samples
    .filter((sample, index) => index % step === 0 || sample.tookMs > slowMs)
    .map((sample) => ({
      atMs: Math.round(sample.atMs),
      tookMs: Math.round(sample.tookMs * 100) / 100,
    }));
}

/**
 * Counts grants in whole steps, one of which begins with the fault. An acquisition counts at its grant, unlike in
 * phases.
 */
function rateOf(
  healthy: readonly ProbeRecord[],
  fromMs: number,
  untilMs: number,
): NonNullable<AvailabilityTimeline['rate']> {
  const first = Math.ceil(fromMs / STEP_MS);
  const steps = Math.max(0, Math.floor(untilMs / STEP_MS) - first);
  const granted = Array.from({ length: steps }, () => 0);
  for (const { samples } of healthy)
    for (const { ok, atMs, tookMs } of samples) {
      const step = Math.floor((atMs + tookMs) / STEP_MS) - first;
      const before = granted[step];
      if (ok && before !== undefined) granted[step] = before + 1;
    }
  return { fromMs: first * STEP_MS, stepMs: STEP_MS, granted };
}
