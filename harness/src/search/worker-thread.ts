import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * Schedules create millions of short-lived objects. With a young generation of the default size, garbage collection
 * takes a tenth of the time.
 */
const WORKER_RESOURCE_LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 96 };

type Fail = (error: Error) => void;

/** A thread that runs schedules, with one task at a time. */
export class WorkerThread {
  readonly #worker: Worker;
  /** True if the thread has ended. */
  hasExited = false;

  constructor(entry: URL, workerData?: object) {
    // The thread does not inherit flags of this process, such as those of a test runner.
    const options = { workerData, execArgv: [], resourceLimits: WORKER_RESOURCE_LIMITS };
    this.#worker = new Worker(entry, options);
    // `receive` reports an error to its caller.
    this.#worker.on('error', () => {}).on('exit', () => (this.hasExited = true));
  }

  send(task: object): void {
    this.#worker.postMessage(task, []);
  }

  /**
   * Resolves with what `handle` makes of the replies; rejects if the thread ends first.
   * @param what the name of the thread, for errors
   * @param watch may reject too, until the signal aborts
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the type of its replies
  receive<A, T>(
    what: string,
    handle: (reply: A, done: (value: T) => void, fail: Fail) => void,
    watch: (fail: Fail, until: AbortSignal) => void = () => {},
  ): Promise<T> {
    const worker = this.#worker;
    const over = new AbortController();
    const result = new Promise<T>((done, fail) => {
      const onMessage = (reply: A): void => handle(reply, done, fail);
      const onExit = (): void => fail(new Error(`${what} has ended`));
      worker.on('message', onMessage).once('error', fail).once('exit', onExit);
      if (this.hasExited) onExit();
      over.signal.addEventListener('abort', () => {
        worker.off('message', onMessage).off('error', fail).off('exit', onExit);
      });
      watch(fail, over.signal);
    });
    return result.finally(() => over.abort());
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}
