import type { Extra } from '../compare/extra.ts';
import type { FoundEffort } from '../compare/found-cell.ts';
import { untriedCell } from '../compare/judge-cell.ts';
import type { Cell, ReportRow } from '../compare/report.ts';
import type { Column } from '../draw/index.ts';
import { builtInSubject, columnNamed, counterpartOf } from '../locks/index.ts';
import { openTrials } from './open-trial.ts';
import type { Trial } from './trial.ts';

/** An extra column, played in a thread of its own. */
export class ExtraColumn implements Extra {
  readonly column: Column;
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

  untried(row: ReportRow): Cell | undefined {
    const alike = untriedCell({ how: 'simulated', ...row, column: this.counterpart });
    if (alike === undefined) return undefined;
    return { ...alike, column: this.column.id, expected: null, unexpected: false };
  }

  /** One after the other: it has one thread. */
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
