import { holdfastVersion } from 'holdfast/internal';
import { reportVerdict } from '../compare/judge-compared-cell.ts';
import type { Report, Run } from '../compare/report.ts';
import { runComparison } from '../compare/run-comparison.ts';
import type { RunnerOpener } from './comparison-runners.ts';
import type { ConsoleReporter } from './console-reporter.ts';

/** One stage after the other, each set up when it is its turn. */
export async function runComparisons(
  stages: readonly RunnerOpener[],
  audience: ConsoleReporter,
): Promise<Report> {
  const fromMs = performance.now();
  const startedAt = new Date().toISOString();
  const runs: Run[] = [];
  for (const { name, open } of stages) {
    audience.step(`${name}: setting up`);
    const stage = await open();
    let run: Run;
    let left: readonly string[] = [];
    try {
      run = await runComparison(stage, audience);
    } finally {
      left = await stage.close();
    }
    if (left.length > 0) audience.print(['', ...left]);
    runs.push(left.length === 0 ? run : { ...run, notes: [...(run.notes ?? []), ...left] });
  }
  return {
    format: 'holdfast-compare',
    version: 2,
    holdfast: holdfastVersion(),
    startedAt,
    tookMs: Math.round(performance.now() - fromMs),
    verdict: reportVerdict(runs),
    runs,
  };
}
