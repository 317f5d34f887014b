import type { Out } from 'holdfast/internal';
import type { Progress } from '../cli/progress.ts';
import { formatEnd } from './format-report.ts';
import { type RunHead, safetyHead, safetyRow } from './format-safety.ts';
import type { Paint } from './paint.ts';
import type { Cell, ReportRow, Run } from './report.ts';
import type { Audience } from './run-stage.ts';

/** Prints rows as they come; with `quiet` only the progress, as stdout then belongs to JSON. */
export class ConsoleAudience implements Audience {
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
