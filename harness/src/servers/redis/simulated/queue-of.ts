import { attemptOf, isOf } from '../../../sim/schedule/holds.ts';
import type { ServerQueue } from '../../../sim/schedule/place-log.ts';
import type { Subject } from '../../../sim/schedule/subject.ts';
import type { RedisEngine } from './engine.ts';
import { RedisSortedSet } from './values.ts';

/** How a queue is read. */
export interface QueueReading {
  readonly waiterOf: NonNullable<Subject['waiterOf']>;
  /** True if each place ends by itself, so that one that comes back is at the end by right. */
  readonly placesEnd: boolean;
}

/** A member of a sorted set of holders: two numbers, and the owner value. */
const HOLDER = /^\d+\/\d+\/(.+)$/;

/** The queue on a server, after a request with these arguments. */
export function queueOf(
  engine: RedisEngine,
  args: readonly string[],
  { waiterOf, placesEnd }: QueueReading,
): ServerQueue {
  const waiting = new Map<string, number>();
  const holding: string[] = [];
  for (const [key, value] of engine.snapshot().entries) {
    if (typeof value === 'string') {
      if (attemptOf(value) > 0) holding.push(value);
    } else if (value instanceof RedisSortedSet) {
      const inOrder = Array.from(value.scores).toSorted(([, a], [, b]) => a - b);
      for (const [member, score] of inOrder) {
        const waiter = waiterOf(member, key);
        const holder = HOLDER.exec(member)?.[1];
        if (waiter !== undefined) waiting.set(waiter, placesEnd ? score : 0);
        else if (holder !== undefined) holding.push(holder);
      }
    }
  }
  const hasLeft = (contender: string): boolean =>
    !placesEnd && args.some((arg) => isOf(arg, contender) && attemptOf(arg) > 0);
  return { waiting, holding, hasLeft };
}
