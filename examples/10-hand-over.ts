// A web process takes the lock of an order and puts a job into a queue; the worker that takes the job takes over the
// lock, works, and releases it. The key is never free in between, so no other request can start on the order meanwhile.
//
// Run it: npm run example 10            or: npm run example 10 redis://localhost

import { isLockError, type Locks, openLocks } from 'holdfast';

const url = process.argv[2];
const web = await openLocks(url ?? 'memory:', { require: ['fencing'] });
// In production this is another process. What is in memory has only this one.
const worker = url === undefined ? web : await openLocks(url, { require: ['fencing'] });

/** A queue that delivers a job twice, as real ones may. */
const queue: { readonly order: number; readonly lease: string }[] = [];

async function requestRefund(order: number): Promise<bigint> {
  return await web.use(`orders/${order}`, async (lease) => {
    // Who reads this text can take the lease: keep it out of logs. It contains no time.
    const job = { order, lease: await lease.export() };
    queue.push(job, job);
    return lease.fencingToken;
  });
}

async function work(locks: Locks<bigint>, exportedToken: bigint): Promise<void> {
  for (const job of queue.splice(0)) {
    try {
      await using lease = await locks.adopt(job.lease);
      lease.assertHeld();
      console.log(`worker: refunds order ${job.order}`);
      console.log(`its token is larger: ${lease.fencingToken > exportedToken}`);
      // The job stays locked until it is done, here longer than a moment.
      console.log(`another request finds it busy: ${await isBusy(job.order)}`);
    } catch (error) {
      if (!isLockError(error, 'LOCK_LOST')) throw error;
      console.log('worker: skips a job that was delivered twice');
    }
  }
}

async function isBusy(order: number): Promise<boolean> {
  return (await web.tryAcquire(`orders/${order}`)) === null;
}

const token = await requestRefund(42);
console.log(`queued, and busy: ${await isBusy(42)}`);
await work(worker, token);
console.log(`done, and busy: ${await isBusy(42)}`);
await Promise.all([web.close({ timeoutMs: 0 }), worker.close({ timeoutMs: 0 })]);
