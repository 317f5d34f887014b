import { loadavg } from 'node:os';
import type { FaultId } from '@holdfast/core';
import { Crew } from '../clients/crew.ts';
import type { Plant } from '../plant.ts';
import { Proxies } from '../proxy/proxies.ts';
import { compileShim, ShiftedClock } from '../servers/clock-shim.ts';
import type { ClockedEnsemble } from '../sites/ensemble.ts';
import { judged } from '../trials/judged.ts';
import { playTrial } from '../trials/play.ts';
import { timelineOf } from '../trials/timeline.ts';
import { LAB_COLUMNS, type LabColumnId } from './columns.ts';
import { figuresOf, type Tried } from './figures.ts';
import { type ExpectationOf, failedCell, judgeCell, verdictOf } from './judge-cell.ts';
import { busyWith, isInstalled, missingOf, versionsOf } from './machine.ts';
import {
  DIALS,
  type Grounds,
  LAB_FAULTS,
  type PlannedCell,
  plannedCells,
  type Wanted,
} from './plan.ts';
import type { DialPoint, LabCell, LabReport } from './report.ts';

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

const CLIENTS = 3;

/** An evaluation under way: what it knows at any moment is a report. */
export class Evaluation {
  readonly #options: EvaluateOptions;
  readonly #fromMs = performance.now();
  readonly #startedAt = new Date().toISOString();
  readonly #cells: LabCell[] = [];
  readonly #planned: readonly PlannedCell[];
  readonly #dial: DialPoint[] = [];
  readonly #notes: string[] = [];
  #ensemble: Promise<ClockedEnsemble> | undefined;

  constructor(options: EvaluateOptions) {
    this.#options = options;
    const { plant } = options;
    const planned = plannedCells(options);
    this.#planned = planned.filter(({ column }) => isInstalled(plant, column));
    this.#notes.push(...missingOf(plant), ...busyWith(loadavg()[0] ?? 0));
  }

  /** Plays all that is planned; ends everything it started, whatever happens. */
  async run(): Promise<LabReport> {
    const { plant, ttlMs } = this.#options;
    const folder = plant.folder('holdfast-lab-shim-');
    const shim = await compileShim(folder);
    if (shim === undefined)
      this.#notes.push('no C compiler: clocks jump by shifting expiries, and none goes back');
    const proxies = new Proxies(plant);
    const crew = await Crew.start(plant, CLIENTS);
    const namespace = `holdfast-lab-${process.pid}`;
    const clock = shim === undefined ? undefined : new ShiftedClock(shim, folder, 'ensemble');
    const ensemble = (): Promise<ClockedEnsemble> => this.#startEnsemble(clock);
    const parts = { plant, proxies, places: CLIENTS, ttlMs, namespace, shim };
    try {
      const grounds = { ...parts, ensemble };
      for (const planned of this.#planned) await this.#play(planned, crew, grounds);
      for (const turned of this.#options.dial)
        await this.#turn(crew, { ...grounds, ttlMs: turned });
    } finally {
      crew.close();
      await (await this.#ensemble?.catch(() => undefined))?.servers.close();
      proxies.close();
      plant.remove(folder);
    }
    return this.report({ partial: false });
  }

  /** What is known by now. */
  report({ partial }: { readonly partial: boolean }): LabReport {
    const { ttlMs, trials, holdfast, command } = this.#options;
    const rows = LAB_FAULTS.filter((fault) => this.#cells.some((cell) => cell.fault === fault));
    const columns = Object.values(LAB_COLUMNS).filter(({ id }) =>
      this.#cells.some(({ column }) => column === id),
    );
    return {
      format: 'holdfast-lab',
      version: 1,
      holdfast,
      startedAt: this.#startedAt,
      tookMs: Math.round(performance.now() - this.#fromMs),
      partial,
      verdict: verdictOf(this.#cells),
      by: versionsOf(this.#options.plant),
      command,
      settings: { ttlMs, trials, clients: CLIENTS },
      rows,
      columns,
      cells: this.#cells,
      dial: this.#dial,
      notes: this.#notes,
    };
  }

  async #play(planned: PlannedCell, crew: Crew, grounds: Grounds): Promise<void> {
    const { column, fault } = planned;
    const expected = this.#expected(fault, column);
    try {
      const tried = await this.#all(planned, crew, grounds);
      const cell = judgeCell({ fault, column }, tried, expected);
      this.#add({ ...cell, timeline: timelineOf(tried, `${column}, ${fault}`) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#add(failedCell({ fault, column }, why, expected));
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

  async #once(
    { column, fault, open }: PlannedCell,
    crew: Crew,
    grounds: Grounds,
    n: number,
  ): Promise<Tried> {
    const site = await open(grounds);
    try {
      const key = `${column}/${fault}/${grounds.ttlMs}/${n}`;
      const record = await playTrial(crew, site, {
        fault,
        key,
        ttlMs: grounds.ttlMs,
        striking: (told) => this.#options.step(`${fault} on ${column}: ${told}`),
      });
      return { record, judged: judged(record) };
    } finally {
      await site.close();
    }
  }

  #add(cell: LabCell): void {
    this.#cells.push(cell);
    this.#options.cell(cell);
  }

  #expected(fault: FaultId, column: LabColumnId): LabCell['expected'] {
    return this.#options.expectationOf({ fault, column }) ?? null;
  }

  #startEnsemble(clock: ShiftedClock | undefined): Promise<ClockedEnsemble> {
    const { zookeeper } = this.#options.plant;
    if (zookeeper === undefined) throw new Error('ZooKeeper is not installed');
    const wishes = clock === undefined ? {} : { through: ['env', ...clock.environment] };
    this.#ensemble ??= zookeeper.start(wishes).then((servers) => ({ servers, clock }));
    return this.#ensemble;
  }
}
