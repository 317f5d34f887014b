import { ConfigError } from '@holdfast/core';
import type { Tally } from '../search/index.ts';
import { PlayerThread } from '../search/player-thread.ts';
import { Beat } from './beat.ts';
import type { Quest } from './quest.ts';
import type { Answer, Birth, Task } from './thread-messages.ts';
import { type Promises, StillError, type Trial } from './trial.ts';

/** No play takes a tenth of it: after so long without a new one, the lock's code is going round in circles. */
export const STILL_MS: number = 5_000;
/** Loading a lock may mean compiling a lot; once it is loaded, it is played with. */
const LOADING_MS = 20_000;
const LOOK_MS = 250;

type Kind = Answer['kind'];
type Of<K extends Kind> = Extract<Answer, { readonly kind: K }>;

/**
 * Tries a lock in a thread of its own, and ends the thread when the lock's code never yields.
 * @param stillMs after so long without a new play
 * @throws ConfigError where there is no such lock; StillError
 */
export async function trialAside(
  lock: string,
  folder: string,
  stillMs: number = STILL_MS,
): Promise<Trial> {
  const thread = new Thread(lock, folder, stillMs);
  const { promises } = await thread.ready();
  return new TrialAside(thread, promises);
}

class TrialAside implements Trial {
  readonly promises: Promises;
  readonly #thread: Thread;

  constructor(thread: Thread, promises: Promises) {
    this.#thread = thread;
    this.promises = promises;
  }

  async hunt(
    ...[quest, { bound, share, onProgress }]: Parameters<Trial['hunt']>
  ): ReturnType<Trial['hunt']> {
    const task = { kind: 'hunt', quest, share, bound: bound.shared } as const;
    return (await this.#thread.ask(task, 'hunted', onProgress)).hunted;
  }

  async fingerprint(quest: Quest): Promise<string> {
    return (await this.#thread.ask({ kind: 'fingerprint', quest }, 'fingerprinted')).fingerprint;
  }

  async tell(...[schedule, wanted]: Parameters<Trial['tell']>): ReturnType<Trial['tell']> {
    return (await this.#thread.ask({ kind: 'tell', schedule, wanted }, 'told')).told;
  }

  async play(schedule: Parameters<Trial['play']>[0]): ReturnType<Trial['play']> {
    return (await this.#thread.ask({ kind: 'play', schedule }, 'played')).played;
  }

  async found(...[row, effort]: Parameters<Trial['found']>): ReturnType<Trial['found']> {
    return (await this.#thread.ask({ kind: 'find', row, effort }, 'found')).cell;
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}

/** One thread, ended where it is asked in vain. */
class Thread {
  readonly #player: PlayerThread;
  readonly #beat = new Beat();
  readonly #lock: string;
  readonly #stillMs: number;

  constructor(lock: string, folder: string, stillMs: number) {
    const birth: Birth = { lock, folder, beat: this.#beat.shared };
    this.#lock = lock;
    this.#stillMs = stillMs;
    this.#player = new PlayerThread(new URL('./trial-thread.js', import.meta.url), birth);
  }

  ready(): Promise<Of<'ready'>> {
    return this.#await('ready');
  }

  ask<K extends Kind>(task: Task, kind: K, onProgress?: (tally: Tally) => void): Promise<Of<K>> {
    this.#player.send(task);
    return this.#await(kind, onProgress);
  }

  async end(): Promise<void> {
    await this.#player.end();
  }

  async #await<K extends Kind>(kind: K, onProgress?: (tally: Tally) => void): Promise<Of<K>> {
    try {
      return await this.#player.hear<Answer, Of<K>>(
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
    let count = this.#beat.count;
    let sinceMs = performance.now();
    const look = setInterval(() => {
      const nowMs = performance.now();
      // Its first beat is that it has been loaded.
      const stillMs = this.#beat.count === 0 ? LOADING_MS : this.#stillMs;
      if (this.#beat.count !== count) {
        count = this.#beat.count;
        sinceMs = nowMs;
      } else if (nowMs - sinceMs > stillMs) reject(this.#stillness(stillMs));
    }, LOOK_MS);
    until.addEventListener('abort', () => clearInterval(look));
  }

  /** One that has not got so far as to be tried is not a lock that can be judged. */
  #stillness(stillMs: number): Error {
    const { schedule } = this.#beat;
    const runsOn = `runs on for ${stillMs / 1000} s without waiting for anything`;
    if (schedule !== undefined)
      return new StillError(`the code of ${this.#lock} ${runsOn}`, schedule);
    const details = { backend: this.#lock };
    return new ConfigError(
      `"${this.#lock}" cannot be tried: its code ${runsOn}, even where nothing goes wrong`,
      details,
    );
  }

  #error({ message, isConfig }: Of<'failed'>): Error {
    return isConfig ? new ConfigError(message, { backend: this.#lock }) : new Error(message);
  }
}

function isOf<K extends Kind>(answer: Answer, kind: K): answer is Of<K> {
  return answer.kind === kind;
}
