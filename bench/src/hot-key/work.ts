import { setTimeout as sleep } from 'node:timers/promises';
import type { Opened } from '../candidate.ts';

/** What each process of a round does: callers that want one key, again and again. */
export interface HotKeyWork {
  readonly key: string;
  readonly callers: number;
  /** Not counted: the first waits are shorter than those of a full queue. */
  readonly warmUpMs: number;
  readonly countedMs: number;
}

/** What one process counted. */
export interface HotKeyCounts {
  /** Turns inside, by caller. */
  readonly turns: readonly number[];
  readonly waitsMs: readonly number[];
}

/** The time inside the lock, of which a timer makes a little more. */
export const INSIDE_MS = 1;
/** After the time is over, for who is inside. */
const LEAVING_MS = 100;

/** All callers take turns inside until the time is over; the waits that are left then end with the client. */
export async function workOn(
  opened: Opened,
  { key, callers, warmUpMs, countedMs }: HotKeyWork,
): Promise<HotKeyCounts> {
  const fromMs = performance.now() + warmUpMs;
  const untilMs = fromMs + countedMs;
  const waitsMs: number[] = [];
  const turns = Array.from({ length: callers }, () => 0);
  const caller = async (at: number): Promise<void> => {
    while (performance.now() < untilMs) {
      const askedMs = performance.now();
      const unlock = await opened.wait?.(key);
      const enteredMs = performance.now();
      await sleep(INSIDE_MS);
      await unlock?.();
      if (enteredMs < fromMs || enteredMs > untilMs) continue;
      turns[at] = (turns[at] ?? 0) + 1;
      waitsMs.push(enteredMs - askedMs);
    }
  };
  const all = Promise.all(turns.map((_, at) => caller(at)));
  // What fails before the end fails the round; what fails later has lost its client.
  await Promise.race([all, sleep(warmUpMs + countedMs + LEAVING_MS)]);
  return { turns, waitsMs };
}

export function isWork(message: unknown): message is HotKeyWork {
  return typeof message === 'object' && message !== null && 'callers' in message;
}

export function isCounts(message: unknown): message is HotKeyCounts {
  return typeof message === 'object' && message !== null && 'turns' in message;
}
