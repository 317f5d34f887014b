import { parentPort } from 'node:worker_threads';
import { systemRuntime } from '@holdfast/core/backend';
import { nativeSessions } from '@holdfast/zk';

const open = nativeSessions({ servers: ['127.0.0.1:1'] }, systemRuntime());
const name = await open(performance.now() + 1_000).then(
  () => 'opened',
  (error: unknown) => (error instanceof Error ? error.name : String(error)),
);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(name);
