import { Clock } from './clock.ts';
import { type Driver, defaultDriver } from './driver.ts';
import {
  omitStacks,
  restoreStacks,
  SimLimitError,
  SimStuckError,
  SimUnhandledError,
} from './errors.ts';
import { type Queue, RANK } from './event-queue.ts';
import { Guard } from './guard.ts';
import { Kernel, toUs } from './kernel.ts';
import { type Machine, SimProcess } from './process.ts';
import { runFor, watchRejections } from './rejections.ts';
import type { Trace } from './trace.ts';

export interface WorldOptions {
  /** Of every random source in this world; 0 by default. */
  readonly seed?: number;
  /** Whether to keep a trace; a search goes without, twice as fast. On by default. */
  readonly trace?: boolean;
  /** A million by default. */
  readonly maxEvents?: number;
  /** Thirty days by default. */
  readonly maxVirtualMs?: number;
  /** Whether real clocks, timers and random sources throw while the world runs. Off by default. */
  readonly guard?: boolean;
  readonly driver?: Driver;
  /** What decides which event is next; by default the earliest is. */
  readonly queue?: Queue;
}

export interface ProcessOptions {
  /** How far the wall clock is ahead of true time. */
  readonly wallOffsetMs?: number;
  /** How fast (positive) or slow both clocks run. */
  readonly driftPpm?: number;
}

/** Apart for every process, lest anybody compare the monotonic clocks of two. */
const MONOTONIC_STEP_MS = 1_000_000;
const DAY_MS = 86_400_000;

/** The parts of a world, for what is built upon it in this package. */
export interface WorldParts {
  readonly kernel: Kernel;
  readonly seed: number;
  /** Takes a name that no process or server has yet. */
  readonly claim: (name: string, kind: string) => void;
}

/** Assigned by {@link World}, which alone can look inside. */
export let partsOf: (world: World) => WorldParts;

/** One virtual world: its time passes only while somebody runs it. Several may live on one thread. */
export class World {
  readonly #kernel: Kernel;
  readonly #seed: number;
  readonly #maxEvents: number;
  readonly #maxUs: number;
  readonly #driver: Driver;
  readonly #guard: Guard | undefined;
  readonly #processes = new Map<string, SimProcess>();
  readonly #kinds = new Map<string, string>();
  #running = false;
  #failure: Error | undefined;

  constructor(options: WorldOptions = {}) {
    this.#kernel = new Kernel(options.trace ?? true, options.queue);
    this.#seed = options.seed ?? 0;
    this.#maxEvents = options.maxEvents ?? 1_000_000;
    this.#maxUs = toUs(options.maxVirtualMs ?? 30 * DAY_MS);
    this.#driver = options.driver ?? defaultDriver;
    this.#guard = options.guard ? new Guard((error) => this.#fail(error)) : undefined;
  }

  static {
    partsOf = (world) => ({
      kernel: world.#kernel,
      seed: world.#seed,
      claim: (name, kind) => world.#claim(name, kind),
    });
  }

  /** True time in ms, from 0. */
  get nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }

  get trace(): Trace {
    return this.#kernel.trace;
  }

  /** A process on a machine of its own. Names are unique. */
  process(name: string, options: ProcessOptions = {}): SimProcess {
    this.#claim(name, 'process');
    const machine: Machine = {
      name,
      clock: new Clock({
        monotonicMs: (this.#processes.size + 1) * MONOTONIC_STEP_MS,
        wallOffsetMs: options.wallOffsetMs ?? 0,
        driftPpm: options.driftPpm ?? 0,
      }),
      seed: this.#seed,
      incarnation: 1,
      born: (process) => void this.#processes.set(name, process),
    };
    return new SimProcess(this.#kernel, machine);
  }

  /** Something the harness does at a true time, before anything else at that time. */
  at(ms: number, run: () => void): void {
    this.#act(toUs(ms), run);
  }

  /** As {@link at}, `ms` from now. */
  after(ms: number, run: () => void): void {
    this.#act(this.#kernel.nowUs + toUs(ms), run);
  }

  /** Adds a line to the trace, as part of what its hash covers. */
  note(process: string, kind: string, label?: string): void {
    this.#kernel.record(process, kind, label);
  }

  /** Timers that have neither fired nor been cancelled, of one process or of all. */
  pendingTimers(process?: SimProcess): number {
    return this.#sumTimers('live', process);
  }

  /** Those of them that keep a process alive, because somebody waits for them. */
  awaitedTimers(process?: SimProcess): number {
    return this.#sumTimers('awaited', process);
  }

  /**
   * Starts `main` and lets time pass until it has settled; what else is going on then stays as it is. Rejects with
   * what `main` rejects with, or with {@link SimStuckError}, {@link SimLimitError}, {@link SimUnhandledError} or
   * `SimAmbientError`.
   */
  async run<T>(main: () => Promise<T> | T): Promise<T> {
    let begin: (() => void) | undefined;
    let settled = false;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const result = begun.then(main).finally(() => {
      settled = true;
    });
    // Should the world itself fail, that is what `run` rejects with, and nobody looks at this any more.
    result.catch(() => {});

    await this.#pump(() => {
      if (begin !== undefined) {
        begin();
        begin = undefined;
        return true;
      }
      if (settled) return false;
      // What woke nobody cannot have settled it either.
      if (!this.#stepUntilWoken(Number.POSITIVE_INFINITY)) throw new SimStuckError(this.nowMs);
      return true;
    });
    return result;
  }

  /** Lets time pass until no event is left. Rejects as {@link run}. */
  async settle(): Promise<void> {
    if (this.#running) throw new Error('a running world settles by itself: await what is going on');
    await this.#pump(() => this.#stepUntilWoken(Number.POSITIVE_INFINITY));
  }

  /** Lets `ms` pass, with everything that falls into it. Usable within {@link run} too. Rejects as {@link run}. */
  async advance(ms: number): Promise<void> {
    const untilUs = this.#kernel.nowUs + toUs(ms);
    if (this.#running) return this.#reach(untilUs);
    await this.#pump(() => this.#stepUntilWoken(untilUs));
    this.#kernel.idleUntil(untilUs);
  }

  #claim(name: string, kind: string): void {
    const taken = this.#kinds.get(name);
    if (taken !== undefined) throw new Error(`there is a ${taken} ${name} already`);
    this.#kinds.set(name, kind);
  }

  #act(atUs: number, run: () => void): void {
    const act = (): boolean => {
      this.#kernel.begin('world', 'harness');
      run();
      return true;
    };
    this.#kernel.schedule(atUs, act, { rank: RANK.harness });
  }

  #reach(atUs: number): Promise<void> {
    return new Promise((resolve) => {
      const arrive = (): boolean => {
        resolve();
        return true;
      };
      this.#kernel.schedule(atUs, arrive, { rank: RANK.goal });
    });
  }

  async #pump(turn: () => boolean): Promise<void> {
    if (this.#running) throw new Error('this world is running already');
    this.#running = true;
    this.#failure = undefined;
    const rejected = (reason: unknown): void =>
      this.#fail(new SimUnhandledError(this.nowMs, reason));
    const unwatch = watchRejections(rejected);
    try {
      await this.#driver(
        () => {
          runFor(rejected);
          this.#begin();
          return this.#attempt(turn);
        },
        () => this.#rest(),
      );
    } finally {
      this.#rest();
      this.#guard?.release();
      unwatch();
      this.#running = false;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** From here on only this world runs, until {@link #rest}. */
  #begin(): void {
    this.#guard?.resume();
    if (!this.#kernel.trace.isKept) omitStacks();
  }

  #rest(): void {
    this.#guard?.suspend();
    restoreStacks();
  }

  /** A failure ends the run from within, whatever the turn was for. */
  #attempt(turn: () => boolean): boolean {
    try {
      return this.#failure === undefined && turn();
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  }

  /** Runs events, up to one that may have woken asynchronous code; returns false when none is left until then. */
  #stepUntilWoken(untilUs: number): boolean {
    for (;;) {
      const nextUs = this.#kernel.nextUs;
      if (nextUs === undefined || nextUs > untilUs) return false;
      this.#checkLimits(nextUs);
      if (this.#kernel.step()) return true;
    }
  }

  #checkLimits(nextUs: number): void {
    if (nextUs > this.#maxUs)
      throw new SimLimitError(`the next event would be after ${this.#maxUs / 1000} ms`);
    if (this.#kernel.ran >= this.#maxEvents)
      throw new SimLimitError(`${this.#maxEvents} events have run by ${this.nowMs} ms`);
  }

  #sumTimers(kind: 'live' | 'awaited', process: SimProcess | undefined): number {
    const processes = process === undefined ? this.#processes.values() : [process];
    let sum = 0;
    for (const { timers } of processes) sum += timers[kind];
    return sum;
  }
}
