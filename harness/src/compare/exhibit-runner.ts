import type { Column } from '../draw/index.ts';
import { columnNamed, counterpartOf, EXHIBITS, lockNamed, subjectOf } from '../locks/index.ts';
import { cellIn, isTried, loadMatrix } from '../matrix/index.ts';
import type { EmbeddedSettings } from './embedded-head.ts';
import { exploreCell } from './explore-cell.ts';
import type { RunHead } from './format-safety.ts';
import type { Cell, Figure, ReportRow } from './report.ts';
import type { ComparisonRunner } from './run-comparison.ts';

/** Up to this many budgets are spent until a known flaw shows. */
const BUDGETS_MAX = 60;

/** Runs the exhibits under the faults that matter to a lock on such servers. The matrix has no expectations for them. */
export class ExhibitRunner implements ComparisonRunner {
  readonly head: RunHead;
  readonly #settings: EmbeddedSettings;

  constructor(settings: EmbeddedSettings) {
    const { seed, budget, faults } = settings;
    this.#settings = settings;
    const counterparts = new Set(EXHIBITS.map(({ name }) => counterpartOf(subjectOf(name))));
    this.head = {
      servers: 'embedded',
      how: 'simulated',
      by: 'the exhibits, in the same simulator: do not use them',
      settings: { seed, schedules: budget },
      rows: loadMatrix()
        .rows.filter(({ fault }) => faults?.includes(fault) ?? true)
        .filter((row) => [...counterparts].some((column) => isTried(cellIn(row, column))))
        .map(({ fault, variant }) => (variant === undefined ? { fault } : { fault, variant })),
      columns: EXHIBITS.map(({ name }) => columnNamed(name)),
    };
  }

  inapplicableCell(): undefined {
    return undefined;
  }

  async runCell(row: ReportRow, { id }: Column): Promise<Cell> {
    const { seed, budget } = this.#settings;
    const story = lockNamed(id)?.stories?.[row.fault];
    const effort = { seed, budget, budgetsMax: story === undefined ? 1 : BUDGETS_MAX };
    const cell = await exploreCell(subjectOf(id), row, effort);
    return story === undefined ? cell : { ...cell, stories: [story] };
  }

  figures(): Promise<readonly Figure[]> {
    return Promise.resolve([]);
  }

  close(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}
