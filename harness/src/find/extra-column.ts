import type { ExploreOptions, ExtraSource } from '../compare/explore-cell.ts';
import { inapplicableCell } from '../compare/judge-compared-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Column } from '../draw/index.ts';
import { builtInSubject, columnNamed, counterpartOf } from '../locks/index.ts';
import type { LockRunner } from './lock-runner.ts';
import { openRunners } from './open-runners.ts';

/** An extra column, run in its own thread. */
export class ExtraColumn implements ExtraSource {
  readonly column: Column;
  readonly counterpart: string;
  readonly note: string;
  readonly #open: () => Promise<LockRunner>;
  #runner: LockRunner | undefined;
  #previous: Promise<unknown> = Promise.resolve();

  private constructor(lock: string, runner: LockRunner, open: () => Promise<LockRunner>) {
    this.column = columnOf(lock);
    this.counterpart = counterpartOf(runner.traits);
    this.note = noteOn(lock, this.column);
    this.#runner = runner;
    this.#open = open;
  }

  /** @throws ConfigError for an unknown lock, one that does not say what it needs, or one that fails without faults */
  static async open(lock: string, folder: string): Promise<ExtraColumn> {
    const open = async (): Promise<LockRunner> => {
      const [runner] = await openRunners(lock, folder, 1);
      if (runner === undefined) throw new Error(`${lock} was not opened`);
      return runner;
    };
    return new ExtraColumn(lock, await open(), open);
  }

  inapplicableCell(row: ReportRow): Cell | undefined {
    const cell = inapplicableCell({ how: 'simulated', ...row, column: this.counterpart });
    if (cell === undefined) return undefined;
    return { ...cell, column: this.column.id, expected: null, unexpected: false };
  }

  /** Runs cells one after the other, because there is one thread. */
  async runCell(row: ReportRow, effort: ExploreOptions): Promise<Cell> {
    const cell = this.#previous.then(() => this.#play(row, effort));
    this.#previous = cell.catch(() => undefined);
    return await cell;
  }

  async close(): Promise<void> {
    await this.#runner?.close();
  }

  /** After an error the thread has ended; the next cell starts a new one. */
  async #play(row: ReportRow, effort: ExploreOptions): Promise<Cell> {
    const runner = (this.#runner ??= await this.#open());
    try {
      return { ...(await runner.exploreCell(row, effort)), column: this.column.id };
    } catch (error) {
      await runner.close();
      this.#runner = undefined;
      throw error;
    }
  }
}

function columnOf(lock: string): Column {
  if (builtInSubject(lock) !== undefined) return columnNamed(lock);
  return { id: lock, backend: 'yours', meaning: `your lock, ${lock}` };
}

function noteOn(lock: string, { backend }: Column): string {
  const name = backend === lock ? lock : `${backend} is ${lock}`;
  return `${name}: the matrix has no expectations for it, so its cells show what was found.`;
}
