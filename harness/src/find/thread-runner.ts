import { ConfigError } from '@holdfast/core';
import type { Tally } from '../search/index.ts';
import { WorkerThread } from '../search/worker-thread.ts';
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

/** No play takes a tenth of it: after so long without a new one, the lock's code is going round in circles. */
export const HANG_MS: number = 5_000;
/** Loading a lock may mean compiling a lot; once it is loaded, it is played with. */
const LOADING_MS = 20_000;
const POLL_MS = 250;

type ReplyKind = RunnerReply['kind'];
type ReplyOf<K extends ReplyKind> = Extract<RunnerReply, { readonly kind: K }>;

/**
 * Tries a lock in a thread of its own, and ends the thread when the lock's code never yields.
 * @param stillMs after so long without a new play
 * @throws ConfigError where there is no such lock; StillError
 */
export async function openThreadRunner(
  lock: string,
  folder: string,
  stillMs: number = HANG_MS,
): Promise<LockRunner> {
  const thread = new RunnerThread(lock, folder, stillMs);
  const { promises } = await thread.ready();
  return new ThreadRunner(thread, promises);
}

class ThreadRunner implements LockRunner {
  readonly traits: LockTraits;
  readonly #thread: RunnerThread;

  constructor(thread: RunnerThread, promises: LockTraits) {
    this.#thread = thread;
    this.traits = promises;
  }

  async searchPart(
    ...[quest, { limit, share, onProgress }]: Parameters<LockRunner['searchPart']>
  ): ReturnType<LockRunner['searchPart']> {
    const task = { kind: 'hunt', quest, share, bound: limit.shared } as const;
    return (await this.#thread.ask(task, 'hunted', onProgress)).hunted;
  }

  async fingerprint(quest: SearchRequest): Promise<string> {
    return (await this.#thread.ask({ kind: 'fingerprint', quest }, 'fingerprinted')).fingerprint;
  }

  async replayTraced(
    ...[schedule, wanted]: Parameters<LockRunner['replayTraced']>
  ): ReturnType<LockRunner['replayTraced']> {
    return (await this.#thread.ask({ kind: 'tell', schedule, wanted }, 'told')).told;
  }

  async play(schedule: Parameters<LockRunner['play']>[0]): ReturnType<LockRunner['play']> {
    return (await this.#thread.ask({ kind: 'play', schedule }, 'played')).played;
  }

  async exploreCell(
    ...[row, effort]: Parameters<LockRunner['exploreCell']>
  ): ReturnType<LockRunner['exploreCell']> {
    return (await this.#thread.ask({ kind: 'find', row, effort }, 'found')).cell;
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}

/** One thread, ended where it is asked in vain. */
class RunnerThread {
  readonly #worker: WorkerThread;
  readonly #heartbeat = new Heartbeat();
  readonly #lock: string;
  readonly #hangMs: number;

  constructor(lock: string, folder: string, stillMs: number) {
    const birth: WorkerInit = { lock, folder, heartbeat: this.#heartbeat.shared };
    this.#lock = lock;
    this.#hangMs = stillMs;
    this.#worker = new WorkerThread(new URL('./runner-thread.js', import.meta.url), birth);
  }

  ready(): Promise<ReplyOf<'ready'>> {
    return this.#await('ready');
  }

  ask<K extends ReplyKind>(
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
        `the thread that tries ${this.#lock}`,
        (answer, done, fail) => {
          if (answer.kind === 'failed') fail(this.#error(answer));
          else if (answer.kind === 'progress') onProgress?.(answer.tally);
          else if (isOf(answer, kind)) done(answer);
        },
        (fail, until) => this.#watch(until, fail),
      );
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Looks whether it goes on. */
  #watch(until: AbortSignal, reject: (error: Error) => void): void {
    let count = this.#heartbeat.count;
    let sinceMs = performance.now();
    const look = setInterval(() => {
      const nowMs = performance.now();
      // Its first beat is that it has been loaded.
      const stillMs = this.#heartbeat.count === 0 ? LOADING_MS : this.#hangMs;
      if (this.#heartbeat.count !== count) {
        count = this.#heartbeat.count;
        sinceMs = nowMs;
      } else if (nowMs - sinceMs > stillMs) reject(this.#hangError(stillMs));
    }, POLL_MS);
    until.addEventListener('abort', () => clearInterval(look));
  }

  /** One that has not got so far as to be tried is not a lock that can be judged. */
  #hangError(stillMs: number): Error {
    const { schedule } = this.#heartbeat;
    const runsOn = `runs on for ${stillMs / 1000} s without waiting for anything`;
    if (schedule !== undefined)
      return new HangError(`the code of ${this.#lock} ${runsOn}`, schedule);
    const details = { backend: this.#lock };
    return new ConfigError(
      `"${this.#lock}" cannot be tried: its code ${runsOn}, even where nothing goes wrong`,
      details,
    );
  }

  #error({ message, isConfig }: ReplyOf<'failed'>): Error {
    return isConfig ? new ConfigError(message, { backend: this.#lock }) : new Error(message);
  }
}

function isOf<K extends ReplyKind>(answer: RunnerReply, kind: K): answer is ReplyOf<K> {
  return answer.kind === kind;
}
