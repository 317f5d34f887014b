// Every replica schedules the job with node-cron, and one of them runs it. `keepMs` is longer than the clocks of the
// replicas differ, and shorter than the time between two runs: a replica whose clock is late finds the key taken.
//
// Run it: npm run example 14            or: npm run example 14 redis://localhost

import { EventEmitter, once } from 'node:events';
import { openLocks } from 'holdfast';
import cron from 'node-cron';

const locks = await openLocks(process.argv[2] ?? 'memory:');
const night = new EventEmitter();

async function report(replica: string): Promise<void> {
  // A job that throws releases the key at once, so that another replica may try.
  const run = await locks.tryUse('nightly-report/14', () => 'report sent', { keepMs: 2_000 });
  if (run.ran) console.log(run.value);
  night.emit(replica, run.ran);
}

// A real one is scheduled as '0 3 * * *'. This one is due each second; the first time is enough for an example.
const replicas = ['a', 'b', 'c'];
const tasks = replicas.map((name) => cron.schedule('* * * * * *', () => report(name)));
const ran = await Promise.all(replicas.map(async (name) => (await once(night, name))[0]));
for (const task of tasks) await task.destroy();
console.log(`${ran.filter(Boolean).length} of ${ran.length} replicas ran the job`);

await locks.close();
