import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { YOUNG_SPACE } from '../search/young-space.ts';
import type { Answer } from './hand-thread.ts';
import { type Kind, perform, type Result, type Task } from './task.ts';

/** Plays one task at a time. */
export interface Hand {
  /** Whether it can play no more. */
  readonly isGone: () => boolean;
  readonly perform: <K extends Kind>(task: Task<K>) => Promise<Result<K>>;
  readonly close: () => Promise<void>;
}

/** As many hands as there are jobs: this thread is the first of them, the others are threads of their own. */
export function handsFor(jobs: number): readonly Hand[] {
  const here: Hand = { isGone: () => false, perform, close: () => Promise.resolve() };
  return [here, ...Array.from({ length: jobs - 1 }, handAside)];
}

function handAside(): Hand {
  // Flags of this process, such as those of a test runner, are not its.
  const worker = new Worker(new URL('./hand-thread.js', import.meta.url), {
    execArgv: [],
    resourceLimits: YOUNG_SPACE,
  });
  let isGone = false;
  // Whoever waits for an answer hears of an error as well.
  worker.on('error', () => {}).on('exit', () => (isGone = true));
  return {
    isGone: () => isGone,
    perform: (task) => askOf(worker, task),
    close: async () => void (await worker.terminate()),
  };
}

async function askOf<K extends Kind>(worker: Worker, task: Task<K>): Promise<Result<K>> {
  const deaf = new AbortController();
  const { signal } = deaf;
  worker.postMessage(task, []);
  try {
    const answer: Answer<K> = await Promise.race([
      once(worker, 'message', { signal }).then(([message]) => message),
      once(worker, 'exit', { signal }).then(() => {
        throw new Error('a thread that plays the matrix has ended');
      }),
    ]);
    if (answer.kind === 'failed') throw new Error(answer.message);
    return answer.result;
  } finally {
    deaf.abort();
  }
}
