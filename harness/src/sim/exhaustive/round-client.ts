import type { Lease, Locks } from '@holdfast/core';
import type { EventChannel, SimEvent } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { SimProcess } from '../process.ts';
import type { Hold, Recorder } from '../recorder.ts';
import type { ClientId } from '../schedule/schedule.ts';
import { SUBJECT_CORE, type Subject, type SubjectEnv } from '../schedule/subject.ts';

const KEY = 'k';

/** The surroundings of a client. */
export interface RoundContext {
  readonly kernel: Kernel;
  readonly recorder: Recorder;
  readonly subject: Subject;
  readonly ttlMs: number;
  /** To be called when an event is recorded that judges compare between clients. */
  readonly notice: () => void;
}

/**
 * A client that tries once to acquire the key, does its work if granted, and releases it. It neither waits nor
 * renews.
 */
export class RoundClient {
  readonly id: ClientId;
  readonly process: SimProcess;
  hasBegun = false;
  isDone = false;
  /** True from the grant until it requests the release. */
  isHolding = false;
  /** The outcome of its round: for comparing runs. */
  outcome = '';
  readonly #context: RoundContext;
  readonly #channel: EventChannel;
  #hold: Hold | undefined;
  #locks: Locks | undefined;

  constructor(id: ClientId, process: SimProcess, context: RoundContext) {
    this.id = id;
    this.process = process;
    this.#context = context;
    this.#channel = { from: id, to: id };
  }

  async open(env: SubjectEnv): Promise<void> {
    const { recorder, subject, ttlMs, notice } = this.#context;
    if (subject.open === undefined) return;
    const { createHost, createLocks } = subject.core ?? SUBJECT_CORE;
    const { runtime, name } = this.process;
    const host = createHost({ runtime, label: name });
    const backend = await subject.open(env, host);
    const locks = createLocks(backend, host, { ttlMs, renew: false });
    locks.on('lost', ({ reason }) => {
      if (this.#hold === undefined) return;
      recorder.lost(this.#hold, reason);
      notice();
    });
    this.#locks = locks;
  }

  /** Lets it begin at any moment from here on; calls `begun` when it does. */
  start(begun: () => void): void {
    this.#step('start', () => {
      this.hasBegun = true;
      begun();
      void this.#round().then(() => {
        this.isDone = true;
      });
    });
  }

  async #round(): Promise<void> {
    const { recorder, notice } = this.#context;
    const hold = recorder.acquire(this.process, KEY);
    const lease = await this.#acquire(hold);
    if (lease === undefined) return;
    this.isHolding = true;
    recorder.enter(hold);
    notice();
    await this.#work(lease.signal);
    try {
      lease.assertHeld();
      recorder.claimed(hold);
    } catch {
      this.outcome += ', late';
    }
    recorder.exit(hold);
    recorder.release(hold);
    this.isHolding = false;
    notice();
    const { kind } = await lease.release();
    recorder.released(hold, kind);
    this.outcome += `, ${kind}`;
  }

  async #acquire(hold: Hold): Promise<Lease | undefined> {
    const { recorder } = this.#context;
    try {
      const lease = (await this.#locks?.tryAcquire(KEY)) ?? undefined;
      if (lease === undefined) {
        recorder.denied(hold, (this.outcome = 'LOCK_TIMEOUT'));
        return undefined;
      }
      // Reading the remaining time may be what finds the lease lost, and it is granted before it is lost.
      const remainingMs = lease.remainingMs();
      recorder.granted(hold, { remainingMs }, lease.fencingToken);
      this.#hold = hold;
      if (remainingMs === 0) recorder.lost(hold, 'deadline');
      this.outcome = 'granted';
      return lease;
    } catch (error) {
      this.outcome = codeOf(error);
      if (this.outcome === 'OUTCOME_UNKNOWN') recorder.doubt(hold, this.outcome);
      else recorder.denied(hold, this.outcome);
      return undefined;
    }
  }

  /** Works for one step, whenever that comes; stops at once if the lease is reported lost. */
  #work(lost: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const work = this.#step('work', resolve);
      const stop = (): void => {
        work.cancelled = true;
        resolve();
      };
      if (lost.aborted) stop();
      else lost.addEventListener('abort', stop);
    });
  }

  /** Schedules a step of its own at any moment from now on. */
  #step(label: string, run: () => void): SimEvent {
    const { kernel } = this.#context;
    const step = (): boolean => {
      kernel.begin(this.id, 'recv', label);
      run();
      return true;
    };
    return kernel.schedule(kernel.nowUs, step, { owner: this.process }, this.#channel);
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}
