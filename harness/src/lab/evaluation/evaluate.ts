import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { columnNamed, REAL_COLUMNS } from '../../locks/index.ts';
import type { Clients, ServerFactory } from '../../plant/index.ts';
import { cleanUpNamespace, leftoverText } from '../deployments/own-servers.ts';
import { judgeTrial } from '../trials/judge-trial.ts';
import { playTrial } from '../trials/play-trial.ts';
import { timelineOf } from '../trials/timeline.ts';
import { choreographiesOf, faultView, isUnplayable } from './choreographies.ts';
import type { DeploymentResources } from './deployments.ts';
import { figuresOf, type JudgedTrial } from './figures.ts';
import { Inventory } from './inventory.ts';
import {
  type CellLocation,
  type ExpectationOf,
  failedLabCell,
  judgeLabCell,
  labVerdict,
} from './judge-lab-cell.ts';
import { loadNote, missingFor, missingOf, ownNotes, versionsOf } from './machine.ts';
import {
  type CellSelection,
  CLIENT_FAULTS,
  LAB_FAULTS,
  needsClock,
  type PlannedCell,
  plannedCells,
  shiftsClients,
  TTL_SWEEPS,
} from './plan.ts';
import type { LabCell, LabReport, TtlPoint } from './report.ts';
import { CLIENTS, SharedResources, UnexpectedExit } from './shared-resources.ts';

export interface EvaluateOptions extends CellSelection {
  readonly serverFactory: ServerFactory;
  readonly expectationOf: ExpectationOf;
  readonly ttlMs: number;
  /** Other ttls to try with, in ms. */
  readonly otherTtlsMs: readonly number[];
  /** Strikes in each cell. */
  readonly trials: number;
  readonly holdfast: string;
  readonly command: string;
  /** Hears what is being done to whom. */
  readonly step: (text: string) => void;
  /** Hears of every cell when it is known. */
  readonly cell: (cell: LabCell) => void;
}

const NO_SHIM =
  'no C compiler: clocks of Redis jump by shifting expiries; none goes back, none of a client jumps, and no machine sleeps';
/** The process ends meanwhile. */
const NEVER = new Promise<never>(() => undefined);

/** What a quick one leaves out, which is not what cannot matter. */
function chosenOf(
  { full, faults, backends, own }: CellSelection,
  planned: number,
): readonly string[] {
  if (full === true || faults !== undefined || own !== undefined) return [];
  const all = plannedCells({ backends, full: true }).length;
  return [`${planned} of ${all} cells were tried, those that tell most; --profile full tries all`];
}

/** An evaluation under way: what it knows at any moment is a report. */
export class Evaluation {
  readonly #options: EvaluateOptions;
  readonly #fromMs = performance.now();
  readonly #startedAt = new Date().toISOString();
  readonly #cells: LabCell[] = [];
  readonly #planned: readonly PlannedCell[];
  readonly #dial: TtlPoint[] = [];
  readonly #notes: string[] = [];
  readonly #inventory = new Inventory();
  /** Asked once: Java takes its time to say who it is, and who ends us has none. */
  readonly #by: readonly string[];
  #shared: SharedResources | undefined;
  readonly #unexpectedExit: Promise<never>;
  #rejectUnexpectedExit!: (why: UnexpectedExit) => void;
  #aborted = false;
  #hasCleanedUp = false;

  constructor(options: EvaluateOptions) {
    this.#options = options;
    this.#by = versionsOf(options.serverFactory, options.own);
    this.#unexpectedExit = new Promise((_, fail) => (this.#rejectUnexpectedExit = fail));
    const { serverFactory } = options;
    const planned = plannedCells(options);
    const { own } = options;
    if (own === undefined) {
      this.#planned = planned.filter(
        ({ column }) => missingFor(serverFactory, column) === undefined,
      );
      this.#notes.push(...missingOf(serverFactory));
    } else {
      this.#planned = planned;
      const skipped = LAB_FAULTS.filter((fault) => !CLIENT_FAULTS.includes(fault));
      this.#notes.push(...ownNotes(own, skipped));
    }
    this.#notes.push(...chosenOf(options, this.#planned.length));
    this.#notes.push(...loadNote(loadavg()[0] ?? 0));
  }

  /**
   * Plays all that is planned; ends everything it started, whatever happens.
   * @throws Breakdown, at once, where that cannot go on; then it is to be abandoned
   */
  async run(): Promise<LabReport> {
    return await Promise.race([this.#runAll(), this.#unexpectedExit]);
  }

  async #runAll(): Promise<LabReport> {
    const { ttlMs, otherTtlsMs } = this.#options;
    const onExit = (whose: string): void => this.#onUnexpectedExit(new UnexpectedExit(whose));
    const plant = this.#inventory.recording(this.#options.serverFactory);
    const shared = await SharedResources.open({
      ...this.#options,
      serverFactory: plant,
      onExit,
    });
    this.#shared = shared;
    if (shared.shim === undefined) this.#notes.push(NO_SHIM);
    try {
      for (const planned of this.#planned)
        if (shared.shim !== undefined || !needsClock(planned))
          await this.#runCell(planned, shared.clients, shared.resources(ttlMs));
      for (const turned of otherTtlsMs)
        await this.#measureTtl(shared.clients, shared.resources(turned));
    } finally {
      await shared.close();
      await this.#cleanUp();
    }
    return this.report({ partial: false });
  }

  /** Ends it in the middle: nobody works any more, and the user's servers are left as they were, if they allow it soon. */
  async abort(withinMs: number): Promise<void> {
    this.#aborted = true;
    this.#shared?.kill();
    if (this.#options.own === undefined) return;
    await Promise.race([this.#cleanUp(), sleep(withinMs)]);
    if (!this.#hasCleanedUp)
      this.#notes.push(leftoverText(this.#options.own, 'they took too long'));
  }

  /** What fails from now on fails because of this. */
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

  /** What is known by now. */
  report({ partial }: { readonly partial: boolean }): LabReport {
    const { ttlMs, trials, holdfast, command } = this.#options;
    const rows = LAB_FAULTS.filter((fault) => this.#cells.some((cell) => cell.fault === fault));
    const columns = REAL_COLUMNS.filter((id) =>
      this.#cells.some(({ column }) => column === id),
    ).map(columnNamed);
    return {
      format: 'holdfast-lab',
      version: 1,
      holdfast,
      startedAt: this.#startedAt,
      tookMs: Math.round(performance.now() - this.#fromMs),
      partial,
      verdict: labVerdict(this.#cells),
      by: this.#by,
      command,
      settings: { ttlMs, trials, clients: CLIENTS, servers: this.#inventory.servers },
      rows,
      columns,
      cells: this.#cells,
      dial: this.#dial,
      notes: this.#notes,
    };
  }

  async #runCell(
    planned: PlannedCell,
    clients: Clients,
    grounds: DeploymentResources,
  ): Promise<void> {
    const { column, fault } = planned;
    const place = cellLocation(planned);
    const expected = this.#options.expectationOf(place) ?? null;
    if (this.#aborted) await NEVER;
    try {
      const tried = await this.#runTrials(planned, clients, grounds);
      const cell = judgeLabCell(place, tried, expected);
      this.#add({ ...cell, timeline: timelineOf(tried, `${column}, ${fault}`) });
    } catch (error) {
      if (this.#aborted) await NEVER;
      const why = error instanceof Error ? error.message : String(error);
      this.#add(failedLabCell(place, why, expected));
      clients.replaceAll();
    }
  }

  /** Every column that is there, with another ttl. */
  async #measureTtl(clients: Clients, grounds: DeploymentResources): Promise<void> {
    const { ttlMs } = grounds;
    const there = TTL_SWEEPS.filter(({ column }) =>
      this.#planned.some((cell) => cell.column === column),
    );
    for (const { column, death, crash } of there) {
      try {
        const { validity } = figuresOf(await this.#runTrials(death, clients, grounds));
        const { handoverMs } = figuresOf(await this.#runTrials(crash, clients, grounds));
        this.#dial.push({ column, ttlMs, broken: validity, handoverMs });
      } catch (error) {
        if (this.#aborted) await NEVER;
        const why = error instanceof Error ? error.message : String(error);
        this.#notes.push(`${column} was not tried with a ttl of ${ttlMs} ms: ${why}`);
        clients.replaceAll();
      }
    }
  }

  async #runTrials(
    planned: PlannedCell,
    clients: Clients,
    grounds: DeploymentResources,
  ): Promise<readonly JudgedTrial[]> {
    const { trials, step } = this.#options;
    const tried: JudgedTrial[] = [];
    for (let n = 1; n <= trials; n++) {
      const { fault, column } = planned;
      step(`${fault} on ${column}, ttl ${grounds.ttlMs} ms: ${n} of ${trials}`);
      tried.push(await this.#runTrial(planned, clients, grounds, n));
    }
    return tried;
  }

  async #runTrial(
    planned: PlannedCell,
    clients: Clients,
    asked: DeploymentResources,
    n: number,
  ): Promise<JudgedTrial> {
    const { column, fault, deployment } = planned;
    const ttlMs = Math.max(asked.ttlMs, this.#ttlMsMin(column)) * (deployment.ttlTimes ?? 1);
    const grounds = { ...asked, ttlMs };
    const as = faultView(deployment, { ttlMs, clocks: asked.shim !== undefined });
    const ways = choreographiesOf(fault, as);
    // The ways of one fault take turns.
    const choreography = isUnplayable(ways) ? undefined : ways[(n - 1) % ways.length];
    if (choreography === undefined) throw new Error(`${fault} cannot be played here`);
    this.#inventory.column = column;
    clients.shiftClocks(shiftsClients(planned));
    const cluster = await deployment.open(grounds);
    try {
      const key = `${column}/${fault}/${ttlMs}/${n}`;
      const record = await playTrial(
        { clients, cluster, deployment: as, choreography },
        {
          fault,
          key,
          ttlMs,
          n,
          onInject: (told) => this.#options.step(`${fault} on ${column}: ${told}`),
        },
      );
      return { record, judged: judgeTrial(record) };
    } finally {
      await cluster.close();
    }
  }

  #add(cell: LabCell): void {
    this.#cells.push(cell);
    this.#options.cell(cell);
  }

  #ttlMsMin(column: string): number {
    const servers = this.#options.own?.servers.find(({ backend }) => backend === column);
    return servers?.ttlMsMin ?? 0;
  }
}

function cellLocation({ fault, variant, column }: PlannedCell): CellLocation {
  return { fault, ...(variant === undefined ? {} : { variant }), column };
}
