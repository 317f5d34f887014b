import type { ServerHold } from '@holdfast/check';
import type { QueueHead } from '@holdfast/sim';
import type { Names } from './names.ts';

const ENDS = { expired: 'expired', deleted: 'released', down: undefined } as const;

/**
 * Whom every server of an ensemble took for the holder: whoever stands first in its queue. What a server goes through
 * at one instant, as it catches up, is left out.
 */
export function queueHolds(
  heads: readonly QueueHead[],
  key: string,
  names: Names,
): readonly ServerHold[] {
  const open = new Map<string, QueueHead>();
  const holds: ServerHold[] = [];
  const end = (queue: string, untilMs: number, how: QueueHead['how']): void => {
    const head = open.get(queue);
    open.delete(queue);
    if (head?.client === undefined || head.atMs === untilMs) return;
    const { server, client, atMs: fromMs } = head;
    const as = how === undefined ? undefined : ENDS[how];
    holds.push({ node: names(server), key, owner: names(client), fromMs, untilMs, end: as });
  };
  for (const head of heads) {
    const queue = `${head.server} ${head.container}`;
    end(queue, head.atMs, head.how);
    open.set(queue, head);
  }
  for (const queue of Array.from(open.keys())) end(queue, Number.POSITIVE_INFINITY, undefined);
  return holds;
}
