import type { Holder } from './subject.ts';

/** A promise, and what resolves it. */
class Signal {
  readonly done: Promise<void>;
  resolve: () => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}

/** A holder that is paused before one of its steps, until it is resumed. */
export class PlayedHolder implements Holder {
  readonly name: string;
  readonly token: bigint;
  /** The steps so far; after a retry of a transaction some are there twice. */
  readonly steps: string[] = [];
  readonly #pauseAt: number;
  readonly #paused = new Signal();
  readonly #blocked = new Signal();
  readonly #resumed = new Signal();
  readonly #ended = new Signal();
  #other: PlayedHolder | undefined;

  /** @param pauseAt the number of the step before which it is paused */
  constructor(name: string, token: bigint, pauseAt: number) {
    this.name = name;
    this.token = token;
    this.#pauseAt = pauseAt;
  }

  /** Names the holder that it may have to wait for. */
  beside(other: PlayedHolder): void {
    this.#other = other;
  }

  async step(next: string): Promise<void> {
    this.steps.push(next);
    if (this.steps.length - 1 !== this.#pauseAt) return;
    this.#paused.resolve();
    await this.#resumed.done;
  }

  async blocked(): Promise<void> {
    this.#blocked.resolve();
    if (this.#other !== undefined) await this.#other.#ended.done;
  }

  /** Runs its work to the end. */
  async run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      this.#ended.resolve();
    }
  }

  /** Resolves once it is paused, waits for the other one, or has ended. */
  get halted(): Promise<void> {
    return Promise.race([this.#paused.done, this.#blocked.done, this.#ended.done]);
  }

  /** Resolves once it waits for the other one, or has ended. */
  get stuck(): Promise<void> {
    return Promise.race([this.#blocked.done, this.#ended.done]);
  }

  resume(): void {
    this.#resumed.resolve();
  }
}
