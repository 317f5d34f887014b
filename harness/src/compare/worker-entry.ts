/** A thread that plays one task after the other, beside others that do the same. */
import { parentPort } from 'node:worker_threads';
import { type PoolResult, type PoolTask, type PoolTaskKind, perform } from './pool-task.ts';

/** One for each task. */
export type WorkerReply<K extends PoolTaskKind = PoolTaskKind> =
  | { readonly kind: 'done'; readonly result: PoolResult<K> }
  | { readonly kind: 'failed'; readonly message: string };

async function replyTo(task: PoolTask): Promise<WorkerReply> {
  try {
    return { kind: 'done', result: await perform(task) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (task: PoolTask) => {
  void replyTo(task).then((answer) => parentPort?.postMessage(answer, []));
});
