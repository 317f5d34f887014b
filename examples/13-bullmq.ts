// A BullMQ worker. BullMQ gives a job to another worker when the first one seems dead, and two jobs may be about one order.
// The lock keeps them apart, and its token lets the database refuse a worker that was only paused.
//
// Run it: npm run example 13 redis://localhost            (BullMQ needs Redis)

import { setTimeout as work } from 'node:timers/promises';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { openLocks } from 'holdfast';

const url = process.argv[2] ?? 'redis://localhost';
const { hostname: host, port } = new URL(url);
const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null };
const locks = await openLocks(url);

let inside = 0;
let most = 0;
const tokens: bigint[] = [];
async function charge(fencingToken: bigint | undefined): Promise<void> {
  most = Math.max(most, ++inside);
  if (fencingToken !== undefined) tokens.push(fencingToken);
  await work(20);
  inside -= 1;
}

// One service, two replicas. Waiting here keeps a slot of the worker busy, so the wait is short: a job that cannot get
// its key fails with a LockTimeoutError, and BullMQ tries it again later.
const replicas = [1, 2].map(
  () =>
    new Worker<{ readonly order: string }>(
      'charges',
      ({ data }) =>
        locks.use(`orders/${data.order}`, ({ fencingToken }) => charge(fencingToken), {
          waitMs: 5_000,
        }),
      { connection, concurrency: 2 },
    ),
);

const queue = new Queue<{ readonly order: string }>('charges', { connection });
const events = new QueueEvents('charges', { connection });
await events.waitUntilReady();
const retry = { attempts: 5, backoff: { type: 'exponential', delay: 100 } };
const jobs = await Promise.all(
  Array.from({ length: 6 }, () => queue.add('charge', { order: '13' }, retry)),
);
await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
console.log(`${tokens.length} jobs about one order, ${most} at a time`);
console.log(
  `each with a larger token: ${tokens.every((token, n) => n === 0 || token > (tokens[n - 1] ?? 0n))}`,
);

// First the workers, which finish their jobs, then the locks.
await Promise.all([...replicas, queue, events].map((each) => each.close()));
await locks.close();
