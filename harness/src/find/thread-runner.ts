import { ConfigError } from '@holdfast/core';
import type { Tally } from '../search/index.ts';
import { WorkerThread } from '../search/worker-thread.ts';
import type { StoryCode } from '../simulator/index.ts';
import {
  HangError,
  type LockRunner,
  type LockTraits,
  type RunnerReply,
  type RunnerTask,
  type WorkerInit,
} from './lock-runner.ts';
import type { SearchRequest } from './search-request.ts';
import { Heartbeat } from './shared-memory.ts';

/**
 * No run computes for a tenth of this: after so long without a new one, the lock's code is in an endless loop. A machine
 * that is busy with something else lets this process compute less, so it makes no lock hang.
 */
export const HANG_MS: number = 1_000;
/** Loading a lock may compile a lot of code before the first run; a run may block its thread without computing. */
const BLOCKED_MS = 20_000;
const POLL_MS = 100;

type ReplyKind = RunnerReply['kind'];
type ReplyOf<K extends ReplyKind> = Extract<RunnerReply, { readonly kind: K }>;

interface ThreadOptions {
  /** The maximum computing time without a new run. */
  readonly hangMs?: number;
  /** Code that takes the place of the lock's own. */
  readonly code?: StoryCode | undefined;
}

/**
 * Runs a lock in its own thread, and terminates the thread if the lock's code never yields.
 * @throws ConfigError if there is no such lock; HangError
 */
export async function openThreadRunner(
  lock: string,
  folder: string,
  { hangMs = HANG_MS, code }: ThreadOptions = {},
): Promise<LockRunner> {
  const thread = new RunnerThread({ lock, folder, ...(code && { code }) }, hangMs);
  const { traits } = await thread.ready();
  return new ThreadRunner(thread, traits);
}

class ThreadRunner implements LockRunner {
  readonly traits: LockTraits;
  readonly #thread: RunnerThread;

  constructor(thread: RunnerThread, traits: LockTraits) {
    this.#thread = thread;
    this.traits = traits;
  }

  async searchPart(
    ...[request, { limit, share, onProgress }]: Parameters<LockRunner['searchPart']>
  ): ReturnType<LockRunner['searchPart']> {
    const task = { kind: 'search', request, share, limit: limit.shared } as const;
    return (await this.#thread.perform(task, 'searched', onProgress)).part;
  }

  async fingerprint(request: SearchRequest): Promise<string> {
    return (await this.#thread.perform({ kind: 'fingerprint', request }, 'fingerprinted'))
      .fingerprint;
  }

  async replayTraced(
    ...[schedule, wanted]: Parameters<LockRunner['replayTraced']>
  ): ReturnType<LockRunner['replayTraced']> {
    return (await this.#thread.perform({ kind: 'trace', schedule, wanted }, 'traced')).traced;
  }

  async play(schedule: Parameters<LockRunner['play']>[0]): ReturnType<LockRunner['play']> {
    return (await this.#thread.perform({ kind: 'play', schedule }, 'played')).played;
  }

  async exploreCell(
    ...[row, effort]: Parameters<LockRunner['exploreCell']>
  ): ReturnType<LockRunner['exploreCell']> {
    return (await this.#thread.perform({ kind: 'explore', row, effort }, 'explored')).cell;
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}

/** One thread, terminated after a task without a reply. */
class RunnerThread {
  /** The number of threads that are at work. */
  static #busy = 0;
  readonly #worker: WorkerThread;
  readonly #heartbeat = new Heartbeat();
  readonly #lock: string;
  readonly #hangMs: number;

  constructor(of: Omit<WorkerInit, 'heartbeat'>, hangMs: number) {
    const init: WorkerInit = { ...of, heartbeat: this.#heartbeat.shared };
    this.#lock = of.lock;
    this.#hangMs = hangMs;
    this.#worker = new WorkerThread(new URL('./runner-thread.js', import.meta.url), init);
  }

  ready(): Promise<ReplyOf<'ready'>> {
    return this.#await('ready');
  }

  perform<K extends ReplyKind>(
    task: RunnerTask,
    kind: K,
    onProgress?: (tally: Tally) => void,
  ): Promise<ReplyOf<K>> {
    this.#worker.send(task);
    return this.#await(kind, onProgress);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  async #await<K extends ReplyKind>(
    kind: K,
    onProgress?: (tally: Tally) => void,
  ): Promise<ReplyOf<K>> {
    try {
      return await this.#worker.receive<RunnerReply, ReplyOf<K>>(
        `the thread that runs ${this.#lock}`,
        (reply, done, fail) => {
          if (reply.kind === 'failed') fail(this.#error(reply));
          else if (reply.kind === 'progress') onProgress?.(reply.tally);
          else if (isOf(reply, kind)) done(reply);
        },
        (fail, until) => this.#watch(until, fail),
      );
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Rejects if the heartbeat stops. */
  #watch(until: AbortSignal, reject: (error: Error) => void): void {
    let count = this.#heartbeat.count;
    let since = new Stopwatch();
    RunnerThread.#busy++;
    const look = setInterval(() => {
      const { passedMs } = since;
      const computedMs = since.computedMs(RunnerThread.#busy);
      if (this.#heartbeat.count !== count) {
        count = this.#heartbeat.count;
        since = new Stopwatch();
      } else if (passedMs > BLOCKED_MS) reject(this.#hangError(BLOCKED_MS));
      // The first count says that the lock is loaded.
      else if (count > 0 && computedMs > this.#hangMs) reject(this.#hangError(this.#hangMs));
    }, POLL_MS);
    until.addEventListener('abort', () => {
      clearInterval(look);
      RunnerThread.#busy--;
    });
  }

  /** A HangError for a schedule; a lock that hangs before the first one cannot be tested. */
  #hangError(limitMs: number): Error {
    const { schedule } = this.#heartbeat;
    const runsOn = `has run for ${limitMs / 1000} s without awaiting anything`;
    if (schedule !== undefined)
      return new HangError(`the code of ${this.#lock} ${runsOn}`, schedule);
    const details = { backend: this.#lock };
    return new ConfigError(
      `"${this.#lock}" cannot be tested: its code ${runsOn}, even without faults`,
      details,
    );
  }

  #error({ message, isConfig }: ReplyOf<'failed'>): Error {
    return isConfig ? new ConfigError(message, { backend: this.#lock }) : new Error(message);
  }
}

/** The time since it was made. */
class Stopwatch {
  readonly #fromMs = performance.now();
  readonly #from = process.cpuUsage();

  get passedMs(): number {
    return performance.now() - this.#fromMs;
  }

  /** How long one of so many threads has computed, each having had an equal share of the time of this process. */
  computedMs(threads: number): number {
    const { user, system } = process.cpuUsage(this.#from);
    return Math.min((user + system) / 1_000 / threads, this.passedMs);
  }
}

function isOf<K extends ReplyKind>(reply: RunnerReply, kind: K): reply is ReplyOf<K> {
  return reply.kind === kind;
}
