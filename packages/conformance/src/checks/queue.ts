import type { Contender } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule } from '../breach.ts';
import { needsQueue } from '../needs.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** A process that waits in the queue of one key. */
interface QueuedWaiter {
  readonly actor: Actor;
  readonly contender: Contender;
}

/** Fairness, if the store has a queue. */
export const queue: readonly Check[] = [
  {
    name: 'a queue serves waiters in the order of arrival, not of their attempts',
    needs: needsQueue,
    async run(stage) {
      const { holder, waiters } = await queued(stage);
      const [first, second] = waiters;

      await holder.release();

      assertRule((await request(second)) === 'busy', 'the second in the queue was served first');
      assertRule((await request(first)) === 'granted', 'the first in the queue was not served');
    },
  },
  {
    name: 'when a waiter leaves the queue, the waiters behind it move up in their order',
    needs: needsQueue,
    async run(stage) {
      const { holder, waiters, key } = await queued(stage);
      const [first, leaver, last] = waiters;
      await leaver.contender.withdraw();
      await holder.release();

      assertRule(
        (await request(last)) === 'busy',
        'the last in the queue was served before the first',
      );
      const grant = await first.actor.waitForGrant(first.contender);
      await first.actor.release(grant);

      assertRule(
        (await request(last)) === 'granted',
        'a waiter that left the queue blocks the waiter behind it',
      );
      await leaver.actor.mustFindBusy(key, stage.longMs, 'the last in the queue has the key');
    },
  },
  {
    name: 'a waiter that withdraws at its turn, before its attempt, lets the next one acquire',
    needs: needsQueue,
    async run(stage) {
      const { holder, waiters } = await queued(stage);
      const [first, second] = waiters;
      await holder.release();

      const withdrawal = await first.contender.withdraw();

      assertRule(withdrawal.kind === 'clean', `its withdrawal returned '${withdrawal.kind}'`);
      assertRule(
        (await request(second)) === 'granted',
        'a waiter that left the queue holds the key',
      );
    },
  },
  {
    name: 'a contender that arrives after a release queues behind the waiters, although the key is free',
    needs: needsQueue,
    async run(stage) {
      const { holder, waiters, key } = await queued(stage);
      const [first] = waiters;
      const late = await stage.actor('late');
      await holder.release();

      await late.mustFindBusy(key, stage.longMs, 'three are waiting');
      assertRule((await request(first)) === 'granted', 'the first in the queue was not served');
    },
  },
];

interface QueueScene {
  readonly key: string;
  readonly holder: { release(): Promise<unknown> };
  /** In the order of arrival. */
  readonly waiters: readonly [QueuedWaiter, QueuedWaiter, QueuedWaiter];
}

/** A key that is held, and three waiters that have found it busy. */
async function queued(stage: Stage): Promise<QueueScene> {
  const a = await stage.actor('a');
  const key = stage.key();
  const grant = await a.acquire(key, stage.longMs);
  const join = async (name: string): Promise<QueuedWaiter> => {
    const actor = await stage.actor(name);
    const waiter = { actor, contender: actor.contend(key, stage.longMs) };
    assertRule((await request(waiter)) === 'busy', 'a held key was granted');
    return waiter;
  };
  const waiters = [await join('b'), await join('c'), await join('d')] as const;
  return { key, holder: { release: () => a.release(grant) }, waiters };
}

async function request({ actor, contender }: QueuedWaiter): Promise<string> {
  return (await actor.definiteAttempt(contender)).kind;
}
