import type { Out } from 'holdfast/internal';
import { formatEnd } from '../compare/format-report.ts';
import { type RunHead, safetyHead, safetyRow } from '../compare/format-safety.ts';
import type { Paint } from '../compare/paint.ts';
import type { Cell, ReportRow, Run } from '../compare/report.ts';
import type { ComparisonListener } from '../compare/run-comparison.ts';
import type { Progress } from './progress.ts';

/** Prints rows as they come; with `quiet` only the progress, as stdout then belongs to JSON. */
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

  end(run: Run): void {
    this.print(formatEnd(run, this.#paint));
  }

  print(lines: readonly string[]): void {
    this.#progress.clear();
    if (!this.#quiet) this.#out.write(`${lines.join('\n')}\n`);
  }
}
