import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { columnNamed, REAL_COLUMNS } from '../../locks/index.ts';
import type { Crew, Plant } from '../../plant/index.ts';
import { judged } from '../trials/judged.ts';
import { playTrial } from '../trials/play.ts';
import { timelineOf } from '../trials/timeline.ts';
import { Breakdown } from './breakdown.ts';
import type { Grounds } from './deployments.ts';
import { figuresOf, type Tried } from './figures.ts';
import { Inventory } from './inventory.ts';
import { type ExpectationOf, failedCell, judgeCell, type Place, verdictOf } from './judge-cell.ts';
import { leave, leftText } from './leave.ts';
import { busyWith, missingFor, missingOf, ownNotes, versionsOf } from './machine.ts';
import {
  CLIENT_FAULTS,
  DIALS,
  LAB_FAULTS,
  needsClock,
  type PlannedCell,
  plannedCells,
  shiftsClients,
  type Wanted,
} from './plan.ts';
import { isUnplayable, seen, waysOf } from './playing.ts';
import type { DialPoint, LabCell, LabReport } from './report.ts';
import { CLIENTS, Shared } from './shared.ts';

export interface EvaluateOptions extends Wanted {
  readonly plant: Plant;
  readonly expectationOf: ExpectationOf;
  readonly ttlMs: number;
  /** Other ttls to try with, in ms. */
  readonly dial: readonly number[];
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
function chosenOf({ full, faults, backends, own }: Wanted, planned: number): readonly string[] {
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
  readonly #dial: DialPoint[] = [];
  readonly #notes: string[] = [];
  readonly #inventory = new Inventory();
  /** Asked once: Java takes its time to say who it is, and who ends us has none. */
  readonly #by: readonly string[];
  #shared: Shared | undefined;
  readonly #broken: Promise<never>;
  #breakDown!: (why: Breakdown) => void;
  #abandoned = false;
  #hasLeft = false;

  constructor(options: EvaluateOptions) {
    this.#options = options;
    this.#by = versionsOf(options.plant, options.own);
    this.#broken = new Promise((_, fail) => (this.#breakDown = fail));
    const { plant } = options;
    const planned = plannedCells(options);
    const { own } = options;
    if (own === undefined) {
      this.#planned = planned.filter(({ column }) => missingFor(plant, column) === undefined);
      this.#notes.push(...missingOf(plant));
    } else {
      this.#planned = planned;
      const skipped = LAB_FAULTS.filter((fault) => !CLIENT_FAULTS.includes(fault));
      this.#notes.push(...ownNotes(own, skipped));
    }
    this.#notes.push(...chosenOf(options, this.#planned.length));
    this.#notes.push(...busyWith(loadavg()[0] ?? 0));
  }

  /**
   * Plays all that is planned; ends everything it started, whatever happens.
   * @throws Breakdown, at once, where that cannot go on; then it is to be abandoned
   */
  async run(): Promise<LabReport> {
    return await Promise.race([this.#playAll(), this.#broken]);
  }

  async #playAll(): Promise<LabReport> {
    const { ttlMs, dial } = this.#options;
    const gone = (whose: string): void => this.#brokeDown(new Breakdown(whose));
    const plant = this.#inventory.watching(this.#options.plant);
    const shared = await Shared.open({ ...this.#options, plant, gone });
    this.#shared = shared;
    if (shared.shim === undefined) this.#notes.push(NO_SHIM);
    try {
      for (const planned of this.#planned)
        if (shared.shim !== undefined || !needsClock(planned))
          await this.#play(planned, shared.crew, shared.grounds(ttlMs));
      for (const turned of dial) await this.#turn(shared.crew, shared.grounds(turned));
    } finally {
      await shared.close();
      await this.#leave();
    }
    return this.report({ partial: false });
  }

  /** Ends it in the middle: nobody works any more, and the user's servers are left as they were, if they allow it soon. */
  async abandon(withinMs: number): Promise<void> {
    this.#abandoned = true;
    this.#shared?.end();
    if (this.#options.own === undefined) return;
    await Promise.race([this.#leave(), sleep(withinMs)]);
    if (!this.#hasLeft) this.#notes.push(leftText(this.#options.own, 'they took too long'));
  }

  /** What fails from now on fails because of this. */
  #brokeDown(why: Breakdown): void {
    this.#abandoned = true;
    this.#notes.push(why.message);
    this.#breakDown(why);
  }

  async #leave(): Promise<void> {
    const { own } = this.#options;
    const note = own === undefined ? undefined : await leave(own);
    if (note !== undefined) this.#notes.push(note);
    this.#hasLeft = true;
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
      verdict: verdictOf(this.#cells),
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

  async #play(planned: PlannedCell, crew: Crew, grounds: Grounds): Promise<void> {
    const { column, fault } = planned;
    const place = placeOf(planned);
    const expected = this.#options.expectationOf(place) ?? null;
    if (this.#abandoned) await NEVER;
    try {
      const tried = await this.#all(planned, crew, grounds);
      const cell = judgeCell(place, tried, expected);
      this.#add({ ...cell, timeline: timelineOf(tried, `${column}, ${fault}`) });
    } catch (error) {
      if (this.#abandoned) await NEVER;
      const why = error instanceof Error ? error.message : String(error);
      this.#add(failedCell(place, why, expected));
      crew.renew();
    }
  }

  /** Every column that is there, with another ttl. */
  async #turn(crew: Crew, grounds: Grounds): Promise<void> {
    const { ttlMs } = grounds;
    const there = DIALS.filter(({ column }) =>
      this.#planned.some((cell) => cell.column === column),
    );
    for (const { column, death, crash } of there) {
      try {
        const { validity } = figuresOf(await this.#all(death, crew, grounds));
        const { handoverMs } = figuresOf(await this.#all(crash, crew, grounds));
        this.#dial.push({ column, ttlMs, broken: validity, handoverMs });
      } catch (error) {
        if (this.#abandoned) await NEVER;
        const why = error instanceof Error ? error.message : String(error);
        this.#notes.push(`${column} was not tried with a ttl of ${ttlMs} ms: ${why}`);
        crew.renew();
      }
    }
  }

  async #all(planned: PlannedCell, crew: Crew, grounds: Grounds): Promise<readonly Tried[]> {
    const { trials, step } = this.#options;
    const tried: Tried[] = [];
    for (let n = 1; n <= trials; n++) {
      const { fault, column } = planned;
      step(`${fault} on ${column}, ttl ${grounds.ttlMs} ms: ${n} of ${trials}`);
      tried.push(await this.#once(planned, crew, grounds, n));
    }
    return tried;
  }

  async #once(planned: PlannedCell, crew: Crew, asked: Grounds, n: number): Promise<Tried> {
    const { column, fault, deployment } = planned;
    const ttlMs = Math.max(asked.ttlMs, this.#ttlMsMin(column)) * (deployment.ttlTimes ?? 1);
    const grounds = { ...asked, ttlMs };
    const as = seen(deployment, { ttlMs, clocks: asked.shim !== undefined });
    const ways = waysOf(fault, as);
    // The ways of one fault take turns.
    const choreography = isUnplayable(ways) ? undefined : ways[(n - 1) % ways.length];
    if (choreography === undefined) throw new Error(`${fault} cannot be played here`);
    this.#inventory.column = column;
    crew.shiftClocks(shiftsClients(planned));
    const cluster = await deployment.open(grounds);
    try {
      const key = `${column}/${fault}/${ttlMs}/${n}`;
      const record = await playTrial(
        { crew, cluster, deployment: as, choreography },
        {
          fault,
          key,
          ttlMs,
          n,
          striking: (told) => this.#options.step(`${fault} on ${column}: ${told}`),
        },
      );
      return { record, judged: judged(record) };
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

function placeOf({ fault, variant, column }: PlannedCell): Place {
  return { fault, ...(variant === undefined ? {} : { variant }), column };
}
