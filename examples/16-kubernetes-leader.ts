// Pods of a Deployment elect a leader. Kubernetes ends a pod by SIGTERM, and kills it after terminationGracePeriodSeconds:
// by then the leader finishes its step, resigns and exits, and the next one leads at once instead of a ttl later.
//
// Run it: npm run example 16 redis://localhost            (pods are processes, so the store must outlive one)

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as work } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLocks } from 'holdfast';

const [, self, url = 'redis://localhost', role] = process.argv;
if (role === 'pod') await pod();
else await cluster();

// What a pod runs, with a grace period of 30 s.
async function pod(): Promise<void> {
  const locks = await openLocks(url);
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const { signal } = stop;
  await locks.elect('leader/16', ({ signal: lost }) => lead(AbortSignal.any([signal, lost])), {
    signal,
  });
  await locks.close({ timeoutMs: 20_000 });
  process.disconnect();
}

async function lead(signal: AbortSignal): Promise<void> {
  process.send?.('leads');
  while (!signal.aborted) await work(50); // a step of its work
  process.send?.('has finished its step');
}

// For the example: what Kubernetes does to two pods.
async function cluster(): Promise<void> {
  const file = self ?? fileURLToPath(import.meta.url);
  const pods = [1, 2].map(() => fork(file, [url, 'pod']));
  const leaders = new Map(pods.map((each) => [each, leading(each)]));
  for (const name of ['the first pod', 'the other one']) {
    const leader = await Promise.race(leaders.values());
    leaders.delete(leader);
    console.log(`${name} leads`);
    leader.once('message', (text: string) => console.log(`${name} ${text}`));
    leader.kill('SIGTERM');
    const [code] = await once(leader, 'exit');
    console.log(`${name} exits with ${code}`);
  }
}

async function leading(child: ChildProcess): Promise<ChildProcess> {
  await once(child, 'message');
  return child;
}
