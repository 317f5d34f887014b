import { WorkerThread } from '../search/worker-thread.ts';
import { type PoolResult, type PoolTask, type PoolTaskKind, perform } from './pool-task.ts';
import type { WorkerReply } from './worker-entry.ts';

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
