import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * What schedules leave dies young, by the million, and a tenth of the time goes into looking through a young space of
 * the usual size.
 */
const WORKER_RESOURCE_LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 96 };

type Fail = (error: Error) => void;

/** A thread that plays schedules, and is asked one thing at a time. */
export class WorkerThread {
  readonly #worker: Worker;
  /** Whether it can play no more. */
  hasExited = false;

  constructor(entry: URL, workerData?: object) {
    // Flags of this process, such as those of a test runner, are not its.
    const options = { workerData, execArgv: [], resourceLimits: WORKER_RESOURCE_LIMITS };
    this.#worker = new Worker(entry, options);
    // Whoever waits for an answer hears of an error as well.
    this.#worker.on('error', () => {}).on('exit', () => (this.hasExited = true));
  }

  send(task: object): void {
    this.#worker.postMessage(task, []);
  }

  /**
   * Resolves with what `heed` makes of its answers; rejects when it ends before.
   * @param what it is, for people
   * @param watch may fail it besides, until the signal
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what it answers only its caller knows
  receive<A, T>(
    what: string,
    heed: (answer: A, done: (value: T) => void, fail: Fail) => void,
    watch: (fail: Fail, until: AbortSignal) => void = () => {},
  ): Promise<T> {
    const worker = this.#worker;
    const over = new AbortController();
    const heard = new Promise<T>((done, fail) => {
      const hear = (answer: A): void => heed(answer, done, fail);
      const gone = (): void => fail(new Error(`${what} has ended`));
      worker.on('message', hear).once('error', fail).once('exit', gone);
      if (this.hasExited) gone();
      over.signal.addEventListener('abort', () => {
        worker.off('message', hear).off('error', fail).off('exit', gone);
      });
      watch(fail, over.signal);
    });
    return heard.finally(() => over.abort());
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}
