import { openTrials } from '../find/open-trial.ts';
import type { Trial } from '../find/trial.ts';
import { builtInSubject, columnNamed, counterpartOf } from '../locks/index.ts';
import type { FoundEffort } from './found-cell.ts';
import { untriedCell } from './judge-cell.ts';
import type { Column } from './notation.ts';
import type { Cell, ReportRow } from './report.ts';

/** A column that the matrix does not have: a lock from outside, or one of ours on another number of servers. */
export class ExtraColumn {
  readonly column: Column;
  /** The column of the matrix that says which faults can be tried on it. */
  readonly counterpart: string;
  readonly note: string;
  readonly #open: () => Promise<Trial>;
  #trial: Trial | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(lock: string, trial: Trial, open: () => Promise<Trial>) {
    const { nodes, isQueue } = trial.promises;
    this.column = columnOf(lock);
    this.counterpart = counterpartOf({ nodes, ensemble: isQueue });
    this.note = noteOn(lock, this.column);
    this.#trial = trial;
    this.#open = open;
  }

  /** @throws ConfigError for a lock that is not there, does not say what it needs, or does not work undisturbed */
  static async open(lock: string, folder: string): Promise<ExtraColumn> {
    const open = async (): Promise<Trial> => {
      const [trial] = await openTrials(lock, folder, 1);
      if (trial === undefined) throw new Error(`${lock} was not opened`);
      return trial;
    };
    return new ExtraColumn(lock, await open(), open);
  }

  /** The cell of a fault that cannot matter there; undefined where it has to be tried. */
  untried(row: ReportRow): Cell | undefined {
    const alike = untriedCell({ how: 'simulated', ...row, column: this.counterpart });
    if (alike === undefined) return undefined;
    return { ...alike, column: this.column.id, expected: null, unexpected: false };
  }

  /** One after the other: a lock from outside has one thread. */
  async cell(row: ReportRow, effort: FoundEffort): Promise<Cell> {
    const cell = this.#last.then(() => this.#play(row, effort));
    this.#last = cell.catch(() => undefined);
    return await cell;
  }

  async close(): Promise<void> {
    await this.#trial?.close();
  }

  /** After an error its thread has ended; the next cell gets a new one. */
  async #play(row: ReportRow, effort: FoundEffort): Promise<Cell> {
    const trial = (this.#trial ??= await this.#open());
    try {
      return { ...(await trial.found(row, effort)), column: this.column.id };
    } catch (error) {
      await trial.close();
      this.#trial = undefined;
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
