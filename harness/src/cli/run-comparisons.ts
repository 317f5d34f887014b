import { holdfastVersion, type Out } from 'holdfast/internal';
import { formatEnd } from '../compare/format-report.ts';
import { type RunHead, safetyHead, safetyRow } from '../compare/format-safety.ts';
import { reportVerdict } from '../compare/judge-compared-cell.ts';
import type { Paint } from '../compare/paint.ts';
import type { Cell, ComparedRun, Report, ReportRow } from '../compare/report.ts';
import { type ComparisonListener, runComparison } from '../compare/run-comparison.ts';
import type { RunnerOpener } from './comparison-runners.ts';
import type { Progress } from './progress.ts';

/** Runs one comparison after the other, each opened when its turn comes. */
export async function runComparisons(
  runners: readonly RunnerOpener[],
  reporter: ConsoleReporter,
): Promise<Report> {
  const fromMs = performance.now();
  const startedAt = new Date().toISOString();
  const runs: ComparedRun[] = [];
  for (const { name, open } of runners) {
    reporter.step(`${name}: setting up`);
    const runner = await open();
    let run: ComparedRun;
    let left: readonly string[] = [];
    try {
      run = await runComparison(runner, reporter);
    } finally {
      left = await runner.close();
    }
    if (left.length > 0) reporter.print(['', ...left]);
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

/** Prints rows as they come. With `quiet` only the progress is shown, because stdout is for JSON. */
export class ConsoleReporter implements ComparisonListener {
  readonly #out: Out;
  readonly #progress: Progress;
  readonly #paint: Paint;
  readonly #quiet: boolean;

  constructor(parts: { out: Out; progress: Progress; paint: Paint; quiet: boolean }) {
    this.#out = parts.out;
    this.#progress = parts.progress;
    this.#paint = parts.paint;
    this.#quiet = parts.quiet;
  }

  step(text: string): void {
    this.#progress.step(text);
  }

  head(head: RunHead): void {
    this.print(safetyHead(head, this.#paint));
  }

  row(head: RunHead, row: ReportRow, cells: readonly Cell[]): void {
    this.print(safetyRow(head, row, cells, this.#paint));
  }

  end(run: ComparedRun): void {
    this.print(formatEnd(run, this.#paint));
  }

  print(lines: readonly string[]): void {
    this.#progress.clear();
    if (!this.#quiet) this.#out.write(`${lines.join('\n')}\n`);
  }
}
