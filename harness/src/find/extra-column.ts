import type { ExploreOptions, ExtraSource } from '../compare/explore-cell.ts';
import { inapplicableCell } from '../compare/judge-compared-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Column } from '../draw/index.ts';
import { builtInSubject, columnNamed, counterpartOf } from '../locks/index.ts';
import type { LockRunner } from './lock-runner.ts';
import { openRunners } from './open-runners.ts';

/** An extra column, played in a thread of its own. */
export class ExtraColumn implements ExtraSource {
  readonly column: Column;
  readonly counterpart: string;
  readonly note: string;
  readonly #open: () => Promise<LockRunner>;
  #runner: LockRunner | undefined;
  #previous: Promise<unknown> = Promise.resolve();

  private constructor(lock: string, trial: LockRunner, open: () => Promise<LockRunner>) {
    const { nodes, isQueue } = trial.traits;
    this.column = columnOf(lock);
    this.counterpart = counterpartOf({ nodes, ensemble: isQueue });
    this.note = noteOn(lock, this.column);
    this.#runner = trial;
    this.#open = open;
  }

  /** @throws ConfigError for a lock that is not there, does not say what it needs, or does not work undisturbed */
  static async open(lock: string, folder: string): Promise<ExtraColumn> {
    const open = async (): Promise<LockRunner> => {
      const [trial] = await openRunners(lock, folder, 1);
      if (trial === undefined) throw new Error(`${lock} was not opened`);
      return trial;
    };
    return new ExtraColumn(lock, await open(), open);
  }

  inapplicableCell(row: ReportRow): Cell | undefined {
    const alike = inapplicableCell({ how: 'simulated', ...row, column: this.counterpart });
    if (alike === undefined) return undefined;
    return { ...alike, column: this.column.id, expected: null, unexpected: false };
  }

  /** One after the other: it has one thread. */
  async runCell(row: ReportRow, effort: ExploreOptions): Promise<Cell> {
    const cell = this.#previous.then(() => this.#play(row, effort));
    this.#previous = cell.catch(() => undefined);
    return await cell;
  }

  async close(): Promise<void> {
    await this.#runner?.close();
  }

  /** After an error its thread has ended; the next cell gets a new one. */
  async #play(row: ReportRow, effort: ExploreOptions): Promise<Cell> {
    const trial = (this.#runner ??= await this.#open());
    try {
      return { ...(await trial.exploreCell(row, effort)), column: this.column.id };
    } catch (error) {
      await trial.close();
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
  return `${name}: the matrix expects nothing of it, so its cells say what was found.`;
}
