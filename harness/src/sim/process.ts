import type { Instant, Runtime } from '@holdfast/core/backend';
import { type AnchorMoment, Anchors } from './anchors.ts';
import { type CallLatency, send } from './call.ts';
import type { Clock } from './clock.ts';
import { ClockTimes, instantOf } from './clock-times.ts';
import type { EventOwner } from './event-queue.ts';
import { type Kernel, toUs } from './kernel.ts';
import { random } from './random.ts';
import { SimFinalizationRegistry, SimRuntime } from './runtime.ts';
import { Timers } from './timers.ts';

/** The parts of a process that outlive its crash. */
export interface Machine {
  readonly name: string;
  readonly clock: Clock;
  readonly seed: number;
  readonly incarnation: number;
  /** Called with every incarnation. */
  started(process: SimProcess): void;
}

/**
 * One process on one virtual machine: its clocks, its timers, the messages that it sends and receives. It can be
 * paused, crash and restart. Made by `World.process`.
 */
export class SimProcess implements EventOwner {
  readonly name: string;
  /** The `Host.runtime` of lock code on this process. */
  readonly runtime: Runtime;
  /** For a client library below the lock. Its calls are no anchors: a client reads the clock for every frame. */
  readonly clientRuntime: Pick<Runtime, 'now' | 'timer' | 'random'>;
  /** True times of what its clocks show. For the harness. */
  readonly times: ClockTimes;
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
    this.times = new ClockTimes(machine.clock, () => this.nowUs);
    this.#timers = new Timers(kernel, machine.clock, this);
    this.#sleeps = new Timers(kernel, machine.clock, this);
    const parts = {
      timers: this.#timers,
      random: random(`${machine.seed}/${machine.name}/${machine.incarnation}`),
      collection: this.#finalization,
    };
    this.runtime = new SimRuntime(parts, {
      read: () => this.#clock.read(this.departs('now')),
      armUs: () => this.#readMonotonicUs('timer'),
    });
    this.clientRuntime = new SimRuntime(parts, {
      read: () => this.#clock.read(this.nowUs),
      armUs: () => this.#clock.monotonicUs(this.nowUs),
    });
    machine.started(this);
  }

  /** True time of the moment this process is at: later than the world's if it was stalled within this very step. */
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
  get crashedAtMs(): number {
    return this.#diedAtUs / 1000;
  }

  /** Readings of its clocks. Unlike `runtime.now()` this is not a call that can be stalled. For the harness. */
  get clocks(): Instant {
    return instantOf(this.#clock.read(this.nowUs));
  }

  /** Timers of `runtime` that have neither fired nor been cancelled; `awaited` counts those that keep a process alive. */
  get timers(): { readonly live: number; readonly awaited: number } {
    return { live: this.#timers.live, awaited: this.#timers.awaited };
  }

  /** Resolves after `ms` of this process' monotonic clock. For workloads; not counted among the `timers`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#sleeps.start(this.#readMonotonicUs('sleep') + toUs(ms), resolve, true);
    });
  }

  /**
   * Makes a call that leaves this process. It departs now, or when a stall of `label` ends. `effect` runs `requestMs`
   * later at the far end; it may return a promise. Its result is delivered `replyMs` after that: once this process is
   * no longer paused, never if it has crashed.
   */
  call<T>(label: string, effect: () => T | Promise<T>, latency: CallLatency = {}): Promise<T> {
    const departUs = this.departs(label);
    const result = send(this.#kernel, this, { label, departUs, effect, latency });
    this.#anchors.passed('after', label);
    return result;
  }

  /**
   * Announces a call with this label, for code that sends on this process' behalf. Returns the true time in µs at
   * which the call departs, later than now if a stall of the label delays it.
   */
  departs(label: string): number {
    this.#anchors.passed('before', label);
    return this.nowUs;
  }

  /** Reports that the call announced by {@link departs} has been made. */
  departed(label: string): void {
    this.#anchors.passed('after', label);
  }

  /**
   * Returns true if the process was alive at a true time in µs. What it did in a step that it did not live to finish
   * never happened.
   */
  wasAliveAt(atUs: number): boolean {
    return this.#diedAtUs >= atUs;
  }

  /** Delivers something from outside after `delayMs`: calls `run` as soon as the process can run anything. */
  deliver(label: string, run: () => void, delayMs = 0): void {
    const receive = (): boolean => {
      this.#kernel.begin(this.name, 'recv', label);
      run();
      return true;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(delayMs), receive, { owner: this });
  }

  /**
   * Pauses the process from now on for `ms`. Timers and deliveries of that time come at its end, in the order they
   * were due.
   */
  pause(ms: number): void {
    this.#record('pause', `${ms}`);
    this.#readyAtUs = Math.max(this.#readyAtUs, this.#kernel.nowUs + toUs(ms));
  }

  /** Keeps the process busy with its own code for `ms`: the rest of this step comes after it. */
  block(ms: number): void {
    this.#record('block', `${ms}`);
    this.#readyAtUs = this.nowUs + toUs(ms);
  }

  /**
   * Blocks the process for `ms` right before its `n`-th call with this label from now. Labels are `now` (reading a
   * clock), `timer`, `sleep`, and those given to `call`.
   */
  stallBefore(label: string, n: number, ms: number): void {
    this.anchor('before', label, n, () => this.block(ms));
  }

  /**
   * Calls `fault` right before, or right after, this process makes its `n`-th call with this label from now. So a
   * fault is injected where it matters. `fault` may block, crash, step a clock, or only observe.
   */
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void {
    this.#anchors.add(moment, label, n, fault);
  }

  /**
   * Crashes the process: no timer fires and nothing is delivered any more; promises stay pending. Messages already
   * sent are still delivered.
   */
  crash(): void {
    if (this.crashed) return;
    this.#record('crash');
    this.#diedAtUs = this.#kernel.nowUs;
    this.#timers.clear();
    this.#sleeps.clear();
  }

  /**
   * Starts a new process with the same name on the same machine: same clocks, no timers. Crashes this one if it is
   * alive.
   */
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

  /** Makes both clocks run fast (positive) or slow by so many microseconds a second. */
  setDrift(ppm: number): void {
    this.#record('drift', `${ppm}`);
    this.#clock.setDrift(this.#kernel.nowUs, ppm);
    this.#resetTimers();
  }

  /** Suspends the machine for `ms`: the process is paused and its monotonic clock stops; the wall clock runs on. */
  suspend(ms: number): void {
    this.#record('suspend', `${ms}`);
    const nowUs = this.#kernel.nowUs;
    this.#clock.stopMonotonic(nowUs, nowUs + toUs(ms));
    this.#readyAtUs = Math.max(this.#readyAtUs, nowUs + toUs(ms));
    this.#resetTimers();
  }

  /** Marks `target` as unreferenced: runs the callbacks that `runtime.onCollected` was or will be given for it. */
  collect(target: object): void {
    this.#finalization.collect(target);
  }

  #readMonotonicUs(label: string): number {
    return this.#clock.monotonicUs(this.departs(label));
  }

  #record(kind: string, label?: string): void {
    this.#kernel.record(this.name, kind, label, this.nowUs);
  }

  #resetTimers(): void {
    this.#timers.reset();
    this.#sleeps.reset();
  }
}
