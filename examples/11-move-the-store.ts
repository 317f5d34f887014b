// A swap of the store under live traffic: two processes are rolled from the old store to the new one, and at no moment
// can both hold one lock. On the way, every lock is taken in both stores.
// Run it: npm run example 11 redis://localhost       (it moves between two namespaces of that server)

import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Config, isLockError, type Locks, openLocks } from 'holdfast';

const [, , url = 'redis://localhost', holdfast = 'node_modules/.bin/holdfast'] = process.argv;
const store = { backend: 'redis-simple', url } as const;
const from = { ...store, namespace: `old-${process.pid}` };
const to = { ...store, namespace: `new-${process.pid}`, fencingEpoch: 1 };
const moving = { backend: 'moving', from, to } as const;
const processes: Locks[] = [];
/** A resource refuses smaller tokens than one it has seen. */
let largest = 0n;

async function roll(which: number, config: Config): Promise<void> {
  await processes[which]?.close();
  processes[which] = await openLocks(config, { label: `process ${which}`, require: ['fencing'] });
}

async function work(step: string): Promise<void> {
  let inside = 0;
  const turns = processes.map((locks) =>
    locks.use('stock/7', async ({ fencingToken = 0n }) => {
      inside += 1;
      await pause(5);
      console.log(`${step}: ${inside} inside, token accepted: ${fencingToken > largest}`);
      largest = fencingToken;
      inside -= 1;
    }),
  );
  await Promise.all(turns);
}

await Promise.all([roll(0, from), roll(1, from)]);
await work('old + old');
await roll(0, moving);
await work('moving + old');
const early: unknown = await openLocks(to).catch((error: unknown) => error);
console.log(`the new store alone, before the flip: ${isLockError(early) ? early.code : 'granted'}`);
await roll(1, moving);

const file = join(tmpdir(), `move-${process.pid}.json`);
writeFileSync(file, JSON.stringify(moving));
await promisify(execFile)(holdfast, ['move', 'flip', '--on', file]);
rmSync(file);
await work('moving + moving, flipped');
await roll(0, to);
await work('new + moving');
await roll(1, to);
await work('new + new');
for (const locks of processes) await locks.close();
