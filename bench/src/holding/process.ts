/** One process that holds many leases, which their watchdogs renew. */
import { openLocks } from 'holdfast';
import { answer } from '../child.ts';

const [url = '', leases = '', over = '', as = '', ttlMs = ''] = process.argv.slice(2);
const library = over === 'resp' ? 'resp' : 'ioredis';
const AT_ONCE = 256;

const { gc } = globalThis;
if (gc === undefined) throw new Error('start with --expose-gc');

const locks = await openLocks({ backend: 'redis-simple', url, library, ttlMs: Number(ttlMs) });
const held: object[] = [];
let renewed = 0;
let lost = 0;
locks.on('renewed', () => renewed++);
locks.on('lost', () => lost++);
gc();
const heapBefore = process.memoryUsage().heapUsed;
for (let from = 0; from < Number(leases); from += AT_ONCE) {
  const length = Math.min(AT_ONCE, Number(leases) - from);
  const some = Array.from({ length }, (_, i) =>
    as === 'readers' ? locks.read('held').acquire() : locks.acquire(`held/${from + i}`),
  );
  held.push(...(await Promise.all(some)));
}
let before = process.cpuUsage();

/** The CPU since the last question, in ms, and the counts so far. */
answer(async () => {
  const { user, system } = process.cpuUsage(before);
  gc();
  const heapBytes = process.memoryUsage().heapUsed - heapBefore;
  before = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, bytes: heapBytes / held.length, renewed, lost };
});
