/** One process whose callers take turns with one semaphore, or with as many keys as it has permits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from 'holdfast';
import { answer } from '../child.ts';
import { isTurnsWork, PERMITS, type TurnsCounts, type TurnsWork } from './turns-work.ts';

const [url = '', kind = ''] = process.argv.slice(2);
const isFair = kind === 'keys, fair';
const waitMs = Number.POSITIVE_INFINITY;
const locks = await openLocks(
  url.startsWith('postgres:')
    ? { backend: 'postgres', url, waitMs }
    : { backend: 'redis-simple', url, waitMs, ...(isFair && { fair: true }) },
);

answer(async (message) => {
  if (!isTurnsWork(message)) throw new Error('a message that is no work');
  return await turnsOf(message);
});

async function turnsOf(work: TurnsWork): Promise<TurnsCounts> {
  const { callers, key, warmUpMs, countedMs, insideMs } = work;
  const semaphore = locks.semaphore(key, PERMITS);
  const fromMs = performance.now() + warmUpMs;
  const untilMs = fromMs + countedMs;
  const turns = Array.from({ length: callers }, () => 0);
  /** Requests in the order in which they were made, by number; those still waiting. */
  const waiting = new Set<number>();
  let requests = 0;
  let overtakenMax = 0;
  const call = async (caller: number): Promise<void> => {
    while (performance.now() < untilMs) {
      const request = requests++;
      waiting.add(request);
      const lease = await (kind === 'permits'
        ? semaphore.acquire()
        : locks.acquire(`${key}/${caller % PERMITS}`));
      waiting.delete(request);
      const nowMs = performance.now();
      if (nowMs >= fromMs && nowMs < untilMs) {
        turns[caller] = (turns[caller] ?? 0) + 1;
        const [oldest = request] = waiting;
        overtakenMax = Math.max(overtakenMax, request - oldest);
      }
      await sleep(insideMs);
      await lease.release();
    }
  };
  await Promise.all(turns.map((_, caller) => call(caller)));
  return { turns, overtakenMax };
}
