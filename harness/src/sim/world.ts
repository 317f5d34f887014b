import { Clock } from './clock.ts';
import { SimStuckError } from './errors.ts';
import { EventLoop, type EventLoopOptions } from './event-loop.ts';
import { type Queue, RANK } from './event-queue.ts';
import { Kernel, toUs } from './kernel.ts';
import { type Machine, SimProcess } from './process.ts';
import type { Trace } from './trace.ts';

export interface WorldOptions extends EventLoopOptions {
  /** The seed of every random source in this world; 0 by default. */
  readonly seed?: number;
  /** True to keep a trace; a search keeps none and is twice as fast. On by default. */
  readonly trace?: boolean;
  /** Decides which event is next; by default the earliest. */
  readonly queue?: Queue | undefined;
}

export interface ProcessOptions {
  /** Lead of the wall clock over true time. */
  readonly wallOffsetMs?: number;
  /** Drift of both clocks: fast (positive) or slow. */
  readonly driftPpm?: number;
}

/** Between the monotonic clocks of two processes, so that comparing them shows as a mistake. */
const MONOTONIC_STEP_MS = 1_000_000;

/** The parts of a world, for the classes of `sim` that build upon it. */
export interface WorldParts {
  readonly kernel: Kernel;
  readonly seed: number;
  /** Reserves a name that no process or server has yet. */
  readonly claim: (name: string, kind: string) => void;
}

/** Assigned by {@link World}, which alone has access to its parts. */
export let partsOf: (world: World) => WorldParts;

/** One virtual world: its time passes only while a caller runs it. Several may live on one thread. */
export class World {
  readonly #kernel: Kernel;
  readonly #seed: number;
  readonly #loop: EventLoop;
  readonly #processes = new Map<string, SimProcess>();
  readonly #kinds = new Map<string, string>();

  constructor(options: WorldOptions = {}) {
    this.#kernel = new Kernel(options.trace ?? true, options.queue);
    this.#seed = options.seed ?? 0;
    this.#loop = new EventLoop(this.#kernel, options);
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

  /** Makes a process on a machine of its own. Names are unique. */
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
      started: (process) => void this.#processes.set(name, process),
    };
    return new SimProcess(this.#kernel, machine);
  }

  /** Schedules an action of the harness at a true time, before all other events of that time. */
  at(ms: number, run: () => void): void {
    this.#act(toUs(ms), run);
  }

  /** Schedules an action as {@link at} does, `ms` from now. */
  after(ms: number, run: () => void): void {
    this.#act(this.#kernel.nowUs + toUs(ms), run);
  }

  /** Adds a record to the trace; its hash covers it. */
  note(process: string, kind: string, label?: string): void {
    this.#kernel.record(process, kind, label);
  }

  /** Counts the timers that have neither fired nor been cancelled, of one process or of all. */
  pendingTimers(process?: SimProcess): number {
    return this.#sumTimers('live', process);
  }

  /** Counts those timers that keep a process alive, because code waits for them. */
  awaitedTimers(process?: SimProcess): number {
    return this.#sumTimers('awaited', process);
  }

  /**
   * Starts `main` and lets time pass until it has settled; other activity then stays where it is. Rejects with the
   * rejection of `main`, or with {@link SimStuckError}, {@link SimLimitError}, {@link SimUnhandledError} or
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
    // If the world itself fails, `run` rejects with that failure, and this rejection is never read.
    result.catch(() => {});

    await this.#loop.run(() => {
      if (begin !== undefined) {
        begin();
        begin = undefined;
        return true;
      }
      if (settled) return false;
      // An event that woke no code cannot have settled it either.
      if (!this.#loop.stepUntilWoken(Number.POSITIVE_INFINITY)) throw new SimStuckError(this.nowMs);
      return true;
    });
    return result;
  }

  /** Lets time pass until no event is left. Rejects as {@link run}. */
  async settle(): Promise<void> {
    if (this.#loop.isRunning)
      throw new Error('this world is running; await its operations instead of settle()');
    await this.#loop.run(() => this.#loop.stepUntilWoken(Number.POSITIVE_INFINITY));
  }

  /** Lets `ms` pass, with everything that falls into it. Usable within {@link run} too. Rejects as {@link run}. */
  async advance(ms: number): Promise<void> {
    const untilUs = this.#kernel.nowUs + toUs(ms);
    if (this.#loop.isRunning) return this.#reach(untilUs);
    await this.#loop.run(() => this.#loop.stepUntilWoken(untilUs));
    this.#kernel.idleUntil(untilUs);
  }

  #claim(name: string, kind: string): void {
    const taken = this.#kinds.get(name);
    if (taken !== undefined)
      throw new Error(`the name ${name} is taken by a ${taken}; use another`);
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

  #sumTimers(kind: 'live' | 'awaited', process: SimProcess | undefined): number {
    const processes = process === undefined ? this.#processes.values() : [process];
    let sum = 0;
    for (const { timers } of processes) sum += timers[kind];
    return sum;
  }
}
