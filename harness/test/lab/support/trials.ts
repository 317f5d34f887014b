import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import type { JudgedTrial } from '../../../src/lab/evaluation/figures.ts';
import { judgeLabCell } from '../../../src/lab/evaluation/judge-lab-cell.ts';
import type { LabCell, LabReport } from '../../../src/lab/evaluation/report.ts';
import type { TrialJudgement } from '../../../src/lab/trials/judge-trial.ts';

const NO_UPDATES = { accepted: 10, refused: 0, lost: 0, stale: 0 };

function verdict(property: Verdict['property'], kind: Verdict['kind']): Verdict {
  return { property, kind, message: `${property} ${kind}`, proof: [] };
}

/** One trial with this judgement. */
export function judgedTrial(
  said: Partial<TrialJudgement> & {
    readonly validity?: Verdict;
    readonly belief?: Verdict;
  } = {},
  history: readonly HistoryEvent[] = [],
): JudgedTrial {
  const judged: TrialJudgement = {
    effective: true,
    validity: verdict('validity', 'ok'),
    belief: verdict('belief', 'ok'),
    unfenced: NO_UPDATES,
    fenced: NO_UPDATES,
    tokensGrow: true,
    operationCount: 10,
    indeterminate: 0,
    handoverMs: undefined,
    givenUp: 0,
    unavailableMs: [20],
    ...said,
  };
  const times = { fromMs: -300, healedMs: 400, untilMs: 700 };
  const samples = [
    { atMs: -10, tookMs: 1, ok: true },
    { atMs: 30, tookMs: 2, ok: true },
  ];
  const healthy = [{ client: 'p2', samples }];
  const record = {
    fault: 'failover',
    ...times,
    history,
    healthy,
    victim: 'p1',
    faulted: [],
    renews: true,
    expectsHandover: false,
    description: 'what was injected',
  } as const;
  return { record, judged };
}

export const broken = { validity: verdict('validity', 'violated') };
export const late = { belief: verdict('belief', 'violated') };
export const unjudged = { validity: verdict('validity', 'unknown') };
export const lossy = { unfenced: { ...NO_UPDATES, lost: 3 } };
export const stale = { fenced: { ...NO_UPDATES, stale: 1 } };

const HOLDS = { outcome: 'holds', fenced: 'holds' } as const;

/** The cell of these trials, on redis-simple under failover unless said otherwise. */
export function cellOf(
  trials: readonly JudgedTrial[],
  expected: LabCell['expected'] = HOLDS,
  column = 'redis-simple',
): LabCell {
  return judgeLabCell({ fault: 'failover', column }, trials, expected);
}

export function reportOf(cells: readonly LabCell[], more: Partial<LabReport> = {}): LabReport {
  return {
    format: 'holdfast-lab',
    version: 2,
    holdfast: '0.1.0',
    startedAt: '2026-11-22T00:00:00.000Z',
    tookMs: 1_000,
    partial: false,
    verdict: 'as-expected',
    by: ['redis-server 7'],
    command: 'npx holdfast compare --servers local',
    settings: { ttlMs: 1_500, trials: 3, clients: 3 },
    rows: [...new Set(cells.map(({ fault }) => fault))],
    columns: [...new Set(cells.map(({ column }) => column))].map((id) => ({
      id,
      backend: id,
      meaning: id,
    })),
    cells,
    dial: [],
    notes: [],
    ...more,
  };
}
