import type { Instant, Runtime, Validity } from '@holdfast/core';
import { Anchors, type Moment } from './anchors.ts';
import type { Clock } from './clock.ts';
import type { Owner } from './event-queue.ts';
import { type Kernel, overAfterUs, toUs } from './kernel.ts';
import { random } from './random.ts';
import { type ClockReading, SimFinalizationRegistry, simRuntime } from './runtime.ts';
import { Timers } from './timers.ts';

/** How long a call takes each way; 0 by default. */
export interface CallLatency {
  readonly requestMs?: number;
  readonly replyMs?: number;
}

/** What outlives a crash of the process. */
export interface Machine {
  readonly name: string;
  readonly clock: Clock;
  readonly seed: number;
  readonly incarnation: number;
  /** Told of every incarnation. */
  born(process: SimProcess): void;
}

/**
 * One process on one virtual machine: its clocks, its timers, what it sends and what it is sent. It can stand still,
 * die and come back. Made by `World.process`.
 */
export class SimProcess implements Owner {
  readonly name: string;
  /** What lock code on this process gets as its `Host.runtime`. */
  readonly runtime: Runtime;
  /** For a client library below the lock. Its calls are no anchors: a client reads the clock for every frame. */
  readonly clientRuntime: Pick<Runtime, 'now' | 'timer' | 'random'>;
  readonly #kernel: Kernel;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #sleeps: Timers;
  readonly #anchors = new Anchors();
  readonly #finalization = new SimFinalizationRegistry((run) => this.deliver('collected', run));
  #readyAtUs = 0;
  #diedAtUs = Number.POSITIVE_INFINITY;

  constructor(kernel: Kernel, machine: Machine) {
    this.name = machine.name;
    this.#kernel = kernel;
    this.#machine = machine;
    this.#clock = machine.clock;
    this.#timers = new Timers(kernel, machine.clock, this);
    this.#sleeps = new Timers(kernel, machine.clock, this);
    this.runtime = simRuntime({
      read: () => this.#read('now'),
      arm: () => this.#read('timer'),
      timers: this.#timers,
      random: random(`${machine.seed}/${machine.name}/${machine.incarnation}`),
      collection: this.#finalization,
    });
    this.clientRuntime = {
      now: () => this.clocks,
      timer: (ms, run, options) => {
        const nowUs = machine.clock.monotonicUs(this.nowUs);
        return this.#timers.start(nowUs + overAfterUs(ms), run, options?.awaited ?? false);
      },
      random: () => this.runtime.random(),
    };
    machine.born(this);
  }

  /** True time of the moment this process is at: later than the world's when it was stalled within this very step. */
  get nowMs(): number {
    return this.nowUs / 1000;
  }

  /** As `nowMs`, in whole microseconds. */
  get nowUs(): number {
    return Math.max(this.#kernel.nowUs, this.#readyAtUs);
  }

  get readyAtUs(): number {
    return this.#readyAtUs;
  }

  get crashed(): boolean {
    return this.#diedAtUs !== Number.POSITIVE_INFINITY;
  }

  /** True time of its crash; Infinity while it lives. */
  get diedAtMs(): number {
    return this.#diedAtUs / 1000;
  }

  /** What its clocks show; unlike `runtime.now()` no call that could be stalled. For the harness. */
  get clocks(): Instant {
    const atUs = this.nowUs;
    return {
      monotonicMs: this.#clock.monotonicUs(atUs) / 1000,
      wallMs: this.#clock.wallUs(atUs) / 1000,
    };
  }

  /** True time at which its monotonic clock first showed so much less than now. For the harness. */
  agoMs(ms: number): number {
    const nowUs = this.#clock.monotonicUs(this.nowUs);
    return Math.min(this.nowMs, this.#clock.whenMonotonic(nowUs - Math.round(ms * 1000), 0) / 1000);
  }

  /** True time at which its monotonic clock will show so much more than now, if nothing changes it. For the harness. */
  inMs(ms: number): number {
    const dueUs = this.#clock.monotonicUs(this.nowUs) + overAfterUs(ms);
    return this.#clock.whenMonotonic(dueUs, this.nowUs) / 1000;
  }

  /** What its clocks showed, or will if nothing changes them, at a true time: for lanes that print their own clock. */
  clocksAt(atMs: number): Instant {
    const atUs = Math.round(atMs * 1000);
    return {
      monotonicMs: this.#clock.monotonicUs(atUs) / 1000,
      wallMs: this.#clock.wallUs(atUs) / 1000,
    };
  }

  /** Timers of `runtime` that have neither fired nor been cancelled; `awaited` counts those that keep a process alive. */
  get timers(): { readonly live: number; readonly awaited: number } {
    return { live: this.#timers.live, awaited: this.#timers.awaited };
  }

  /** Resolves after `ms` of this process' monotonic clock. For workloads; not counted among the `timers`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { monotonicUs } = this.#read('sleep');
      this.#sleeps.start(monotonicUs + toUs(ms), resolve, true);
    });
  }

  /**
   * A call that leaves this process. It departs now, or when a stall of `label` ends; `effect` runs `requestMs`
   * later at the far end, and may take its time by returning a promise; what comes of it is delivered `replyMs`
   * after that: once this process no longer stands still, never if it has crashed.
   */
  call<T>(label: string, effect: () => T | Promise<T>, latency: CallLatency = {}): Promise<T> {
    const departUs = this.#callTimeUs(label);
    const cause = this.#kernel.record(this.name, 'send', label, departUs);
    const { requestMs = 0, replyMs } = latency;
    const result = new Promise<T>((resolve, reject) => {
      const reply = (settle: () => void): void => this.deliver(label, settle, replyMs);
      const run = (): boolean => {
        // It ran on in the step that a stall held up, but died before the stall was over: it never sent this.
        if (this.#diedAtUs < departUs) return false;
        this.#kernel.begin(this.name, 'exec', label);
        return outcome(
          effect,
          (value) => reply(() => resolve(value)),
          (error) => reply(() => reject(error)),
        );
      };
      if (!this.crashed) this.#kernel.schedule(departUs + toUs(requestMs), run, { cause });
    });
    this.#anchors.passed('after', label);
    return result;
  }

  /**
   * For what sends on this process' behalf: it is about to make a call with this label. Returns the true time in µs at
   * which the call departs, later than now when a stall of the label holds it up.
   */
  departs(label: string): number {
    return this.#callTimeUs(label);
  }

  /** The call whose {@link departs} was asked for has been made. */
  departed(label: string): void {
    this.#anchors.passed('after', label);
  }

  /** Whether it lived at a true time in µs; what a process did in a step it did not live to finish never happened. */
  livedAt(atUs: number): boolean {
    return this.#diedAtUs >= atUs;
  }

  /** Something reaches this process from outside after `delayMs`: `run` is called as soon as it can run anything. */
  deliver(label: string, run: () => void, delayMs = 0): void {
    const receive = (): boolean => {
      this.#kernel.begin(this.name, 'recv', label);
      run();
      return true;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(delayMs), receive, { owner: this });
  }

  /** Stands still from now on for `ms`; timers and deliveries of that time come at its end, in the order they were due. */
  pause(ms: number): void {
    this.#record('pause', `${ms}`);
    this.#readyAtUs = Math.max(this.#readyAtUs, this.#kernel.nowUs + toUs(ms));
  }

  /** The process' own code keeps it busy for `ms`: whatever follows in this step comes after it. */
  block(ms: number): void {
    this.#record('block', `${ms}`);
    this.#readyAtUs = this.nowUs + toUs(ms);
  }

  /**
   * Stands still for `ms` right before its `n`-th call with this label from now. Labels are `now` (reading a clock),
   * `timer`, `sleep`, and those given to `call`.
   */
  stallBefore(label: string, n: number, ms: number): void {
    this.anchor('before', label, n, () => this.block(ms));
  }

  /**
   * Calls `fault` right before, or right after, this process makes its `n`-th call with this label from now: the way
   * to have a fault strike where it matters. It may block, crash, step a clock, or only take note.
   */
  anchor(moment: Moment, label: string, n: number, fault: () => void): void {
    this.#anchors.add(moment, label, n, fault);
  }

  /** Dies: no timer fires and nothing is delivered ever after; promises stay pending. What was sent stays sent. */
  crash(): void {
    if (this.crashed) return;
    this.#record('crash');
    this.#diedAtUs = this.#kernel.nowUs;
    this.#timers.clear();
    this.#sleeps.clear();
  }

  /** A new process with the same name on the same machine: same clocks, no timers. Crashes this one if it lives. */
  restart(): SimProcess {
    if (!this.crashed) this.crash();
    this.#record('restart');
    return new SimProcess(this.#kernel, {
      ...this.#machine,
      incarnation: this.#machine.incarnation + 1,
    });
  }

  /** Steps the wall clock; negative is back. */
  jumpWall(ms: number): void {
    this.#record('jump', `${ms}`);
    this.#clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1000));
  }

  /** Both clocks run fast (positive) or slow by so many microseconds a second. */
  setDrift(ppm: number): void {
    this.#record('drift', `${ppm}`);
    this.#clock.setDrift(this.#kernel.nowUs, ppm);
    this.#resetTimers();
  }

  /** The machine sleeps for `ms`: the process stands still and so does its monotonic clock; the wall clock goes on. */
  suspend(ms: number): void {
    this.#record('suspend', `${ms}`);
    const nowUs = this.#kernel.nowUs;
    this.#clock.stopMonotonic(nowUs, nowUs + toUs(ms));
    this.#readyAtUs = Math.max(this.#readyAtUs, nowUs + toUs(ms));
    this.#resetTimers();
  }

  /** Says that nobody refers to `target` any more: calls what `runtime.onCollected` was or will be given for it. */
  collect(target: object): void {
    this.#finalization.collect(target);
  }

  /**
   * True time in ms at which `validity` is over by the clocks of this machine, whichever says so first. Until then
   * clocks may still change; ask at the end.
   */
  endOf(validity: Validity): number {
    const { from, ms } = validity;
    const fromUs = this.#clock.whenMonotonic(Math.round(from.monotonicMs * 1000), 0);
    const monotonicUs = Math.round(from.monotonicMs * 1000) + overAfterUs(ms);
    const wallUs = Math.round(from.wallMs * 1000) + overAfterUs(ms);
    return (
      Math.min(
        this.#clock.whenMonotonic(monotonicUs, fromUs),
        this.#clock.whenWall(wallUs, fromUs),
      ) / 1000
    );
  }

  /** Makes a call that can be stalled; returns the true time at which it is made. */
  #callTimeUs(label: string): number {
    this.#anchors.passed('before', label);
    return this.nowUs;
  }

  #read(label: string): ClockReading {
    const atUs = this.#callTimeUs(label);
    return { monotonicUs: this.#clock.monotonicUs(atUs), wallUs: this.#clock.wallUs(atUs) };
  }

  #record(kind: string, label?: string): void {
    this.#kernel.record(this.name, kind, label, this.nowUs);
  }

  #resetTimers(): void {
    this.#timers.reset();
    this.#sleeps.reset();
  }
}

/** Runs `effect` and passes on what comes of it; true when that takes microtasks. */
function outcome<T>(
  effect: () => T | Promise<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): boolean {
  let result: T | Promise<T>;
  try {
    result = effect();
  } catch (error) {
    reject(error);
    return false;
  }
  if (!(result instanceof Promise)) {
    resolve(result);
    return false;
  }
  result.then(resolve, reject);
  return true;
}
