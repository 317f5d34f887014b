/** One client in its own process, since npm `zookeeper` may crash its process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openNpm, openOurs } from './clients.ts';
import { batchOf, hostMs, type PairWorkload } from './pair-workload.ts';

const [name = '', sessionMs = '', servers = ''] = process.argv.slice(2);
const open = name === 'zookeeper' ? openNpm : openOurs;
const client = await open(servers.split(','), Number(sessionMs));

async function play(way: PairWorkload): Promise<void> {
  process.send?.(await batchOf(client, way));
}

async function recover(): Promise<void> {
  for (;;) {
    const path = await client.create('/bench-').catch(() => undefined);
    if (path === undefined) {
      await sleep(2);
      continue;
    }
    process.send?.(hostMs());
    await client.delete(path).catch(() => undefined);
    return;
  }
}

process.on('message', (way: PairWorkload | 'recover' | 'close') => {
  if (way === 'close') void client.close().then(() => process.exit());
  else if (way === 'recover') void recover();
  else void play(way);
});
process.on('disconnect', () => process.exit());
process.send?.('open');
