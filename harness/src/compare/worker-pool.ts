import { WorkerThread } from '../search/worker-thread.ts';
import { type PoolResult, type PoolTask, type PoolTaskKind, perform } from './pool-task.ts';
import type { WorkerReply } from './worker-entry.ts';

/** For each hand, so many tasks are worth having at once: it can choose then. */
const TASKS_PER_WORKER = 4;

interface QueuedTask {
  readonly column: string;
  readonly start: (hand: Worker) => void;
}

/**
 * Tasks for several hands: each takes the next as soon as it has done its own, of a column that it has played before if
 * it can. A thread takes as long to learn a lock's code by heart as to play some hundred schedules. The first hand never
 * goes.
 */
export class Pool {
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[];
  readonly #queue: QueuedTask[] = [];
  readonly #warmColumns = new Map<Worker, Set<string>>();

  constructor(hands: readonly Worker[]) {
    this.#workers = hands;
    this.#idle = [...hands];
  }

  /** How many tasks to ask for at once. */
  get concurrency(): number {
    return this.#workers.length === 1 ? 1 : this.#workers.length * TASKS_PER_WORKER;
  }

  async perform<K extends PoolTaskKind>(task: PoolTask<K>): Promise<PoolResult<K>> {
    const column = columnOf(task);
    const hand = await this.#idleWorkerFor(column);
    this.#warmColumnsOf(hand).add(column);
    try {
      return await hand.perform(task);
    } finally {
      if (!hand.hasExited()) this.#release(hand);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((hand) => hand.close()));
  }

  #release(hand: Worker): void {
    const [next] = this.#queue.splice(this.#nextFor(hand), 1);
    if (next === undefined) this.#idle.push(hand);
    else next.start(hand);
  }

  /** What it knows, else what nobody knows yet, else the first. */
  #nextFor(hand: Worker): number {
    const known = this.#queue.findIndex(({ column }) => this.#warmColumnsOf(hand).has(column));
    if (known >= 0) return known;
    const isNew = ({ column }: QueuedTask): boolean =>
      this.#workers.every((each) => !this.#warmColumnsOf(each).has(column));
    return Math.max(0, this.#queue.findIndex(isNew));
  }

  #warmColumnsOf(hand: Worker): Set<string> {
    const learnt = this.#warmColumns.get(hand) ?? new Set();
    this.#warmColumns.set(hand, learnt);
    return learnt;
  }

  #idleWorkerFor(column: string): Promise<Worker> {
    const hand = this.#idle.shift();
    if (hand !== undefined) return Promise.resolve(hand);
    return new Promise((start) => this.#queue.push({ column, start }));
  }
}

function columnOf(task: PoolTask): string {
  return 'column' in task ? task.column : task.id.column;
}

/** Plays one task at a time. */
export interface Worker {
  /** Whether it can play no more. */
  readonly hasExited: () => boolean;
  readonly perform: <K extends PoolTaskKind>(task: PoolTask<K>) => Promise<PoolResult<K>>;
  readonly close: () => Promise<void>;
}

/** As many hands as there are jobs: this thread is the first of them, the others are threads of their own. */
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
  return thread.receive('a thread that plays the matrix', (answer: WorkerReply<K>, done, fail) => {
    if (answer.kind === 'failed') fail(new Error(answer.message));
    else done(answer.result);
  });
}
