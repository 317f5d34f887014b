import { percentile } from '../../check/index.ts';
import type { Sample } from '../../real/index.ts';
import type { TrialJudgement } from '../trials/judge-trial.ts';
import { medianRanks, wilson } from '../trials/statistics.ts';
import type { TrialRecord } from '../trials/trial-record.ts';
import { availabilityTimeline } from './availability-timeline.ts';
import type { CellFigures, Phase, Rate, Spread } from './report.ts';

/** One trial, and its judgement. */
export interface JudgedTrial {
  readonly record: TrialRecord;
  readonly judged: TrialJudgement;
}

/** Summarises all trials of one cell. */
export function figuresOf(trials: readonly JudgedTrial[]): CellFigures {
  const all = trials.map(({ judged }) => judged);
  const rate = (isHit: (each: TrialJudgement) => boolean): Rate =>
    rateOf(all.filter(isHit).length, all.length);
  const example = exampleOf(all);
  return {
    trials: all.length,
    effective: all.filter(({ effective }) => effective).length,
    // The choreographies of one fault take turns.
    description: [...new Set(trials.map(({ record }) => record.description))].join('; or '),
    validity: rate(({ validity }) => validity.kind === 'violated'),
    belief: rate(({ belief }) => belief.kind === 'violated'),
    unfenced: rate(({ unfenced }) => unfenced.lost > 0),
    fenced: all.some(({ fenced }) => fenced !== null)
      ? rate(
          ({ fenced, tokensGrow }) =>
            fenced !== null && (fenced.lost > 0 || fenced.stale > 0 || !tokensGrow),
        )
      : null,
    updates: {
      accepted: sum(all.map(({ unfenced }) => unfenced.accepted)),
      lost: sum(all.map(({ unfenced }) => unfenced.lost)),
    },
    fencedUpdates: fencedUpdatesOf(all),
    indeterminate: rateOf(
      sum(all.map((each) => each.indeterminate)),
      sum(all.map((each) => each.operationCount)),
    ),
    handoverMs: boundedOf(
      all.flatMap(({ handoverMs }) => (handoverMs === undefined ? [] : [handoverMs])),
    ),
    outageMs: boundedOf(outagesOf(all)),
    unavailableMs: spreadOf(all.flatMap(({ unavailableMs }) => unavailableMs)),
    falseLosses: rate(({ givenUp }) => givenUp > 0),
    givenUp: sum(all.map(({ givenUp }) => givenUp)),
    phases: {
      before: phaseOf(trials, ({ fromMs }) => [fromMs, 0]),
      during: phaseOf(trials, ({ healedMs }) => [0, healedMs]),
      after: phaseOf(trials, ({ healedMs, untilMs }) => [healedMs, untilMs]),
    },
    availability: availabilityTimeline(trials),
    ...(example === undefined ? {} : { example }),
  };
}

function rateOf(hits: number, of: number): Rate {
  return { hits, of, interval: wilson(hits, of) };
}

function exampleOf(all: readonly TrialJudgement[]): string | undefined {
  const verdicts = [...all.map(({ validity }) => validity), ...all.map(({ belief }) => belief)];
  return verdicts.find(({ kind }) => kind === 'violated')?.message;
}

function fencedUpdatesOf(all: readonly TrialJudgement[]): CellFigures['fencedUpdates'] {
  const fenced = all.flatMap((each) => each.fenced ?? []);
  if (fenced.length === 0) return null;
  return {
    accepted: sum(fenced.map(({ accepted }) => accepted)),
    refused: sum(fenced.map(({ refused }) => refused)),
    lost: sum(fenced.map(({ lost }) => lost)),
    stale: sum(fenced.map(({ stale }) => stale)),
  };
}

/** Summarises values; null, a span that did not end, ranks as the longest. */
export function spreadOf(values: readonly (number | null)[]): Spread {
  const known = values.map((value) => value ?? Number.POSITIVE_INFINITY);
  const at = (share: number): number | null => {
    const value = percentile(known, share);
    return value === null || !Number.isFinite(value) ? null : Math.round(value * 10) / 10;
  };
  return {
    samples: values.length,
    unended: values.filter((value) => value === null).length,
    median: at(0.5),
    p95: at(0.95),
    max: at(1),
  };
}

/** Summarises independent values, with the interval of their median. */
export function boundedOf(values: readonly (number | null)[]): Spread {
  const ranks = medianRanks(values.length);
  if (ranks === undefined) return { ...spreadOf(values), interval: null };
  const sorted = values.toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity));
  const [low = null, high = null] = ranks.map((rank) => rounded(sorted[rank - 1] ?? null));
  return { ...spreadOf(values), interval: { low, high } };
}

/** The outage of the worst client of each trial. A trial without healthy clients has none. */
function outagesOf(all: readonly TrialJudgement[]): readonly (number | null)[] {
  return all.flatMap(({ unavailableMs }) =>
    unavailableMs.length === 0 ? [] : [longestOf(unavailableMs)],
  );
}

function longestOf(values: readonly (number | null)[]): number | null {
  return values.includes(null) ? null : Math.max(0, ...values.map((value) => value ?? 0));
}

type SpanOf = (record: TrialRecord) => readonly [number, number];

/** Summarises the probes of healthy clients in one phase. An acquisition belongs to the phase of its request. */
function phaseOf(trials: readonly JudgedTrial[], spanOf: SpanOf): Phase {
  const samples: Sample[] = [];
  let lengthMs = 0;
  for (const { record } of trials) {
    const [fromMs, untilMs] = spanOf(record);
    lengthMs += Math.max(0, untilMs - fromMs);
    for (const probed of record.healthy)
      samples.push(...probed.samples.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs));
  }
  const tookMs = samples.filter(({ ok }) => ok).map((sample) => sample.tookMs);
  return {
    perS: lengthMs === 0 ? null : rounded((tookMs.length / lengthMs) * 1_000),
    p50Ms: rounded(percentile(tookMs, 0.5)),
    p99Ms: rounded(percentile(tookMs, 0.99)),
  };
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
