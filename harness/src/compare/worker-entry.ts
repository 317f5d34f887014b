/** The entry of a worker thread of the pool; it runs one task after the other. */
import { parentPort } from 'node:worker_threads';
import { type PoolResult, type PoolTask, type PoolTaskKind, perform } from './pool-task.ts';

/** The reply to a task. */
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
  void replyTo(task).then((reply) => parentPort?.postMessage(reply, []));
});
