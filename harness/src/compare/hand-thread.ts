/** A thread that plays one task after the other, beside others that do the same. */
import { parentPort } from 'node:worker_threads';
import { type Kind, perform, type Result, type Task } from './task.ts';

/** One for each task. */
export type Answer<K extends Kind = Kind> =
  | { readonly kind: 'done'; readonly result: Result<K> }
  | { readonly kind: 'failed'; readonly message: string };

async function answerTo(task: Task): Promise<Answer> {
  try {
    return { kind: 'done', result: await perform(task) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (task: Task) => {
  void answerTo(task).then((answer) => parentPort?.postMessage(answer, []));
});
