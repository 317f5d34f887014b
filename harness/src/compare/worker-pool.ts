import { WorkerThread } from '../search/worker-thread.ts';
import { type PoolResult, type PoolTask, type PoolTaskKind, perform } from './pool-task.ts';
import type { WorkerReply } from './worker-entry.ts';

/** The number of tasks per worker to request at once, so that a worker can choose. */
const TASKS_PER_WORKER = 4;

interface QueuedTask {
  readonly column: string;
  readonly start: (worker: Worker) => void;
}

/**
 * A pool of workers. A worker takes its next task as soon as it is idle, if possible of a column that it has run before:
 * a thread takes as long to optimise a lock's code as to run some hundred schedules. The first worker never exits.
 */
export class Pool {
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[];
  readonly #queue: QueuedTask[] = [];
  readonly #warmColumns = new Map<Worker, Set<string>>();

  constructor(workers: readonly Worker[]) {
    this.#workers = workers;
    this.#idle = [...workers];
  }

  /** The number of tasks to request at once. */
  get concurrency(): number {
    return this.#workers.length === 1 ? 1 : this.#workers.length * TASKS_PER_WORKER;
  }

  async perform<K extends PoolTaskKind>(task: PoolTask<K>): Promise<PoolResult<K>> {
    const column = columnOf(task);
    const worker = await this.#idleWorkerFor(column);
    this.#warmColumnsOf(worker).add(column);
    try {
      return await worker.perform(task);
    } finally {
      if (!worker.hasExited()) this.#release(worker);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  #release(worker: Worker): void {
    const [next] = this.#queue.splice(this.#nextFor(worker), 1);
    if (next === undefined) this.#idle.push(worker);
    else next.start(worker);
  }

  /** The index of a task of a column that this worker has run, else of one that no worker has run, else the first. */
  #nextFor(worker: Worker): number {
    const known = this.#queue.findIndex(({ column }) => this.#warmColumnsOf(worker).has(column));
    if (known >= 0) return known;
    const isNew = ({ column }: QueuedTask): boolean =>
      this.#workers.every((each) => !this.#warmColumnsOf(each).has(column));
    return Math.max(0, this.#queue.findIndex(isNew));
  }

  #warmColumnsOf(worker: Worker): Set<string> {
    const columns = this.#warmColumns.get(worker) ?? new Set();
    this.#warmColumns.set(worker, columns);
    return columns;
  }

  #idleWorkerFor(column: string): Promise<Worker> {
    const worker = this.#idle.shift();
    if (worker !== undefined) return Promise.resolve(worker);
    return new Promise((start) => this.#queue.push({ column, start }));
  }
}

function columnOf(task: PoolTask): string {
  return 'column' in task ? task.column : task.id.column;
}

/** Runs one task at a time. */
export interface Worker {
  /** True if the worker has ended. */
  readonly hasExited: () => boolean;
  readonly perform: <K extends PoolTaskKind>(task: PoolTask<K>) => Promise<PoolResult<K>>;
  readonly close: () => Promise<void>;
}

/** Creates a worker per job: the first is this thread, the others are separate threads. */
export function createWorkers(jobs: number): readonly Worker[] {
  const here: Worker = { hasExited: () => false, perform, close: () => Promise.resolve() };
  return [here, ...Array.from({ length: jobs - 1 }, createThreadWorker)];
}

function createThreadWorker(): Worker {
  const thread = new WorkerThread(new URL('./worker-entry.js', import.meta.url));
  return {
    hasExited: () => thread.hasExited,
    perform: (task) => request(thread, task),
    close: () => thread.terminate(),
  };
}

function request<K extends PoolTaskKind>(
  thread: WorkerThread,
  task: PoolTask<K>,
): Promise<PoolResult<K>> {
  thread.send(task);
  return thread.receive('a thread that runs the matrix', (reply: WorkerReply<K>, done, fail) => {
    if (reply.kind === 'failed') fail(new Error(reply.message));
    else done(reply.result);
  });
}
