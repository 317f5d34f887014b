import type { Column } from '../draw/index.ts';
import { isControl, LOCKS } from '../locks/index.ts';
import { cellIn, isTried, loadMatrix } from '../matrix/index.ts';
import { embeddedCost } from './cost.ts';
import { type EmbeddedSettings, embeddedHead } from './embedded-head.ts';
import type { ExtraSource, OpenExtraSource } from './explore-cell.ts';
import type { RunHead } from './format-safety.ts';
import { inapplicableCell } from './judge-compared-cell.ts';
import { columnOf } from './play-cell.ts';
import type { Cell, Figure, ReportRow } from './report.ts';
import type { ComparisonRunner } from './run-comparison.ts';
import { createWorkers, Pool, type Worker } from './worker-pool.ts';

/** Runs the matrix in the simulator, without servers, on as many threads as `jobs` says. */
export class SimulatorRunner implements ComparisonRunner {
  readonly head: RunHead;
  readonly #settings: EmbeddedSettings;
  readonly #pool: Pool;
  readonly #extras: readonly ExtraSource[];
  #cost: Promise<readonly Figure[]> | undefined;

  constructor(
    settings: EmbeddedSettings,
    workers: readonly Worker[] = createWorkers(settings.jobs ?? 1),
    extras: readonly ExtraSource[] = [],
  ) {
    this.#settings = settings;
    this.#extras = extras;
    this.head = embeddedHead(settings, loadMatrix(), extras);
    this.#pool = new Pool(workers);
  }

  /**
   * Opens a runner that includes locks without a column in the matrix.
   * @throws ConfigError for a lock that cannot be tested, before anything runs
   */
  static async open(settings: EmbeddedSettings, open: OpenExtraSource): Promise<SimulatorRunner> {
    const { columns } = loadMatrix();
    const names = (settings.locks ?? []).filter((lock) => !columns.includes(lock));
    const extras: ExtraSource[] = [];
    for (const lock of names) extras.push(await open(lock));
    return new SimulatorRunner(settings, createWorkers(settings.jobs ?? 1), extras);
  }

  get jobs(): number {
    return this.#pool.concurrency;
  }

  inapplicableCell(row: ReportRow, { id }: Column): Cell | undefined {
    const extra = this.#extra(id);
    if (extra !== undefined) return extra.inapplicableCell(row);
    return inapplicableCell({ how: 'simulated', ...row, column: id });
  }

  async runCell(row: ReportRow, { id }: Column): Promise<Cell> {
    const { seed, budget, exact = false } = this.#settings;
    const extra = this.#extra(id);
    if (extra !== undefined) return await extra.runCell(row, { seed, budget });
    const effort = { seed, budget, exact };
    return await this.#pool.perform({ kind: 'cell', id: { row, column: columnOf(id) }, effort });
  }

  async figures({ id }: Column): Promise<readonly Figure[]> {
    if (this.#extra(id) !== undefined) return [];
    const column = columnOf(id);
    if (isControl(column)) return [];
    const measured = (await this.#measureCost()).filter((figure) => figure.column === column);
    const isCrashed = loadMatrix().rows.some(
      (row) => row.fault === 'holder-crash' && isTried(cellIn(row, column)),
    );
    if (!isCrashed) return measured;
    const { seed } = this.#settings;
    return [...measured, await this.#pool.perform({ kind: 'takeover', column, seed })];
  }

  async close(): Promise<readonly string[]> {
    await this.#pool.close();
    await Promise.all(this.#extras.map((extra) => extra.close()));
    return [];
  }

  #extra(id: string): ExtraSource | undefined {
    return this.#extras.find(({ column }) => column.id === id);
  }

  /** Measures once, while no cell runs, because it measures real time. */
  #measureCost(): Promise<readonly Figure[]> {
    const here = LOCKS.filter(
      ({ name, needs }) => needs === 'nothing' && this.head.columns.some(({ id }) => id === name),
    );
    this.#cost ??= Promise.all(here.map(({ name }) => embeddedCost(name))).then((each) =>
      each.flat(),
    );
    return this.#cost;
  }
}
