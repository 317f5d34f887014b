import { PlayerThread } from '../search/player-thread.ts';
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
  const thread = new PlayerThread(new URL('./hand-thread.js', import.meta.url));
  return {
    isGone: () => thread.isGone,
    perform: (task) => askOf(thread, task),
    close: () => thread.end(),
  };
}

function askOf<K extends Kind>(thread: PlayerThread, task: Task<K>): Promise<Result<K>> {
  thread.send(task);
  return thread.hear('a thread that plays the matrix', (answer: Answer<K>, done, fail) => {
    if (answer.kind === 'failed') fail(new Error(answer.message));
    else done(answer.result);
  });
}
