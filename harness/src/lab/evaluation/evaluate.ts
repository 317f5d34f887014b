import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { REAL_COLUMNS } from '../../locks/index.ts';
import { type Clients, ClocksUnreachable, type ServerFactory } from '../../real/index.ts';
import { cleanUpNamespace, leftoverText } from '../deployments/own-servers.ts';
import { timelineOf } from '../trials/timeline.ts';
import { columnOf, EXTERNAL, externalNotes } from './external.ts';
import { figuresOf } from './figures.ts';
import { Inventory } from './inventory.ts';
import {
  type CellLocation,
  type ExpectationOf,
  failedLabCell,
  inapplicableLabCell,
  judgeLabCell,
  labVerdict,
} from './judge-lab-cell.ts';
import type { DeploymentResources } from './kinds/real-deployment.ts';
import { loadNote, missingFor, missingOf, ownNotes, versionsOf } from './machine.ts';
import {
  type CellSelection,
  CLIENT_FAULTS,
  LAB_FAULTS,
  needsClock,
  type PlannedCell,
  plannedCells,
  skippedNote,
  TTL_SWEEPS,
  unplayableExternal,
} from './plan.ts';
import type { LabCell, LabReport, TtlPoint } from './report.ts';
import { CLIENTS, SharedResources, UnexpectedExit } from './shared-resources.ts';
import { TrialRunner } from './trial-runner.ts';

export interface EvaluateOptions extends CellSelection {
  readonly serverFactory: ServerFactory;
  readonly expectationOf: ExpectationOf;
  readonly ttlMs: number;
  /** Other ttls to measure, in ms. */
  readonly otherTtlsMs: readonly number[];
  /** Trials in each cell. */
  readonly trials: number;
  readonly holdfast: string;
  readonly command: string;
  /** Called with what is being done to which deployment. */
  readonly step: (text: string) => void;
  /** Called with every cell as soon as it is judged. */
  readonly cell: (cell: LabCell) => void;
}

const NO_SHIM =
  'no C compiler: a Redis clock jumps ahead by shortening expiries; no clock is set back, no client clock jumps, and no machine is suspended';
/** For work that is pending when the process ends. */
const NEVER = new Promise<never>(() => undefined);

/** An evaluation under way; what it has found out at any moment makes a report. */
export class Evaluation {
  readonly #options: EvaluateOptions;
  readonly #fromMs = performance.now();
  readonly #startedAt = new Date().toISOString();
  readonly #cells: LabCell[] = [];
  readonly #planned: readonly PlannedCell[];
  readonly #ttlPoints: TtlPoint[] = [];
  readonly #notes: string[] = [];
  readonly #inventory = new Inventory();
  readonly #trials: TrialRunner;
  /** Read once, at the start: Java takes time to report its version, and a signal leaves none. */
  readonly #by: readonly string[];
  #shared: SharedResources | undefined;
  readonly #unexpectedExit: Promise<never>;
  #rejectUnexpectedExit!: (why: UnexpectedExit) => void;
  #aborted = false;
  #hasCleanedUp = false;

  constructor(options: EvaluateOptions) {
    this.#options = options;
    const { serverFactory, own, external, trials, step } = options;
    this.#by = versionsOf(serverFactory, own);
    this.#unexpectedExit = new Promise((_, fail) => (this.#rejectUnexpectedExit = fail));
    const inventory = this.#inventory;
    this.#trials = new TrialRunner({ trials, step, servers: own?.servers, inventory });
    const planned = plannedCells(options);
    if (own === undefined) {
      this.#planned = planned.filter(
        ({ column }) =>
          missingFor(serverFactory, column === EXTERNAL ? (external?.on ?? '') : column) ===
          undefined,
      );
      this.#notes.push(...missingOf(serverFactory));
    } else {
      this.#planned = planned;
      const skipped = LAB_FAULTS.filter((fault) => !CLIENT_FAULTS.includes(fault));
      this.#notes.push(...ownNotes(own, skipped));
    }
    if (external !== undefined) this.#notes.push(...externalNotes(external));
    this.#notes.push(...skippedNote(options, this.#planned.length));
    this.#notes.push(...loadNote(loadavg()[0] ?? 0));
  }

  /**
   * Runs all planned cells, and ends every process that it started, whatever happens.
   * @throws UnexpectedExit as soon as a process has ended that all trials need; then the evaluation is to be aborted
   */
  async run(): Promise<LabReport> {
    return await Promise.race([this.#runAll(), this.#unexpectedExit]);
  }

  async #runAll(): Promise<LabReport> {
    const { ttlMs, otherTtlsMs } = this.#options;
    const onExit = (process: string): void => this.#onUnexpectedExit(new UnexpectedExit(process));
    const serverFactory = this.#inventory.recording(this.#options.serverFactory);
    const shared = await SharedResources.open({ ...this.#options, serverFactory, onExit });
    this.#shared = shared;
    if (shared.shim === undefined) this.#notes.push(NO_SHIM);
    try {
      for (const planned of this.#planned)
        if (shared.shim !== undefined || !needsClock(planned))
          await this.#runCell(planned, shared.clients, shared.resources(ttlMs));
      this.#addUnplayable();
      for (const otherMs of otherTtlsMs)
        await this.#measureTtl(shared.clients, shared.resources(otherMs));
    } finally {
      await shared.close();
      await this.#cleanUp();
    }
    return this.report({ partial: false });
  }

  /**
   * Ends a running evaluation: kills its processes, and removes its keys from the user's servers if they reply in time.
   */
  async abort(withinMs: number): Promise<void> {
    this.#aborted = true;
    this.#shared?.kill();
    if (this.#options.own === undefined) return;
    await Promise.race([this.#cleanUp(), sleep(withinMs)]);
    if (!this.#hasCleanedUp)
      this.#notes.push(leftoverText(this.#options.own, 'they took too long'));
  }

  /** All later failures follow from this one. */
  #onUnexpectedExit(why: UnexpectedExit): void {
    this.#aborted = true;
    this.#notes.push(why.message);
    this.#rejectUnexpectedExit(why);
  }

  async #cleanUp(): Promise<void> {
    const { own } = this.#options;
    const note = own === undefined ? undefined : await cleanUpNamespace(own);
    if (note !== undefined) this.#notes.push(note);
    this.#hasCleanedUp = true;
  }

  /** The report of what has been found out by now. */
  report({ partial }: { readonly partial: boolean }): LabReport {
    const { ttlMs, trials, holdfast, command } = this.#options;
    const rows = LAB_FAULTS.filter((fault) => this.#cells.some((cell) => cell.fault === fault));
    const columns = [...REAL_COLUMNS, EXTERNAL]
      .filter((id) => this.#cells.some(({ column }) => column === id))
      .map((id) => columnOf(id, this.#options.external));
    const { external } = this.#inventory;
    return {
      format: 'holdfast-lab',
      version: 2,
      holdfast,
      startedAt: this.#startedAt,
      tookMs: Math.round(performance.now() - this.#fromMs),
      partial,
      verdict: labVerdict(this.#cells),
      by: external === undefined ? this.#by : [...this.#by, `${EXTERNAL}: ${external}`],
      command,
      settings: { ttlMs, trials, clients: CLIENTS, servers: this.#inventory.servers },
      rows,
      columns,
      cells: this.#cells,
      dial: this.#ttlPoints,
      notes: this.#notes,
    };
  }

  async #runCell(
    planned: PlannedCell,
    clients: Clients,
    resources: DeploymentResources,
  ): Promise<void> {
    const { column, fault } = planned;
    const location = cellLocation(planned);
    const expected = this.#options.expectationOf(location) ?? null;
    if (this.#aborted) await NEVER;
    try {
      const trials = await this.#trials.run(planned, clients, resources);
      const cell = judgeLabCell(location, trials, expected);
      this.#add({ ...cell, timeline: timelineOf(trials, `${column}, ${fault}`) });
    } catch (error) {
      if (this.#aborted) await NEVER;
      const why = error instanceof Error ? error.message : String(error);
      this.#add(
        error instanceof ClocksUnreachable
          ? inapplicableLabCell(location, why)
          : failedLabCell(location, why, expected),
      );
      clients.replaceAll();
    }
  }

  /** Adds a cell for each fault that an external lock cannot show, so that readers see the reason. */
  #addUnplayable(): void {
    const { external } = this.#options;
    if (external === undefined) return;
    for (const { fault, reason } of unplayableExternal({ ...this.#options, external }))
      this.#add(inapplicableLabCell({ fault, column: EXTERNAL }, reason));
  }

  /** Measures another ttl on every column that has a sweep and is installed. */
  async #measureTtl(clients: Clients, resources: DeploymentResources): Promise<void> {
    const { ttlMs } = resources;
    const sweeps = TTL_SWEEPS.filter(({ column }) =>
      this.#planned.some((cell) => cell.column === column),
    );
    for (const { column, death, crash } of sweeps) {
      try {
        const { validity } = figuresOf(await this.#trials.run(death, clients, resources));
        const { handoverMs } = figuresOf(await this.#trials.run(crash, clients, resources));
        this.#ttlPoints.push({ column, ttlMs, broken: validity, handoverMs });
      } catch (error) {
        if (this.#aborted) await NEVER;
        const why = error instanceof Error ? error.message : String(error);
        this.#notes.push(`${column} was not measured with a ttl of ${ttlMs} ms: ${why}`);
        clients.replaceAll();
      }
    }
  }

  #add(cell: LabCell): void {
    this.#cells.push(cell);
    this.#options.cell(cell);
  }
}

function cellLocation({ fault, variant, column }: PlannedCell): CellLocation {
  return { fault, ...(variant === undefined ? {} : { variant }), column };
}
