// Every replica of a service wakes at midnight; one of them should send the report. Their clocks differ a little, so a
// late replica must find the key taken even if the job is done already: `keepMs` keeps it at least that long.
//
// Run it: npm run example 04            or: npm run example 04 redis://localhost

import { setTimeout as wait } from 'node:timers/promises';
import { openLocks } from 'holdfast';

const locks = await openLocks(process.argv[2] ?? 'memory:');

async function midnight(replica: string, lateMs: number): Promise<boolean> {
  await wait(lateMs);
  const report = locks.for('nightly-report/2026-11-20');
  // One attempt without waiting: the other replicas go back to sleep.
  const run = await report.tryUse(() => `report sent by ${replica}`, { keepMs: 2_000 });
  if (run.ran) console.log(run.value);
  return run.ran;
}

const ran = await Promise.all([
  midnight('replica 1', 0),
  midnight('replica 2', 100),
  midnight('replica 3', 250),
]);
console.log(`${ran.filter(Boolean).length} of ${ran.length} replicas ran the job`);

await locks.close();
