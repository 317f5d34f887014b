import type { Contender } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule, Inapplicable } from '../breach.ts';
import type { Stage } from '../stage.ts';
import type { BackendUnderTest, Check } from '../subject.ts';

/** Limit for a wake-up: after this time a waiter would have polled by itself. */
const WAKE_MS = 10_000;
/** A gap in a subscription may wake a waiter, too, but not repeatedly. */
const SPURIOUS_MAX = 3;

const needsPush = ({ capabilities }: BackendUnderTest): string | undefined =>
  capabilities.wakeUp === 'push' ? undefined : 'it polls: waiters are not notified';

/** Waiting for a key, and withdrawing. */
export const waiting: readonly Check[] = [
  {
    name: 'contenders can be woken exactly if capabilities say push',
    async run(stage) {
      const a = await stage.actor('a');

      const isWoken = a.contend(stage.key(), stage.longMs).changed !== undefined;

      const { wakeUp } = stage.subject.capabilities;
      assertRule(
        isWoken === (wakeUp === 'push'),
        `wakeUp is '${wakeUp}', changed is there: ${isWoken}`,
      );
    },
  },
  {
    name: 'a release wakes the waiters',
    needs: needsPush,
    async run(stage) {
      const { a, waiter, b, grant } = await waitingBehind(stage);

      const woken = changed(waiter, new AbortController().signal);
      await a.release(grant);

      await stage.within(WAKE_MS, 'the wait of a process for a key that was released', woken);
      await b.waitForGrant(waiter);
    },
  },
  {
    name: 'a release between an attempt and its wait is not missed',
    needs: needsPush,
    async run(stage) {
      const { a, waiter, grant } = await waitingBehind(stage);

      await a.release(grant);
      await stage.sleep(stage.shortMs / 10);

      const woken = changed(waiter, new AbortController().signal);
      await stage.within(WAKE_MS, 'a wait that began after the release', woken);
    },
  },
  {
    name: 'a wait without a change lasts: a waiter does not spin',
    needs: needsPush,
    async run(stage) {
      const { b, waiter } = await waitingBehind(stage);
      let lasted = false;

      for (let i = 0; i < SPURIOUS_MAX && !lasted; i++) {
        await b.definiteAttempt(waiter);
        const rest = new AbortController();
        lasted = true;
        const over = changed(waiter, rest.signal).then(() => void (lasted &&= rest.signal.aborted));
        await stage.sleep(stage.shortMs / 10);
        rest.abort();
        await stage.within(WAKE_MS, 'a wait aborted meanwhile', over);
      }

      assertRule(lasted, `none of ${SPURIOUS_MAX} waits for an unchanged key lasted`);
    },
  },
  {
    name: 'an aborted wait resolves, aborted before it begins or while it lasts',
    needs: needsPush,
    async run(stage) {
      const { waiter } = await waitingBehind(stage);

      await stage.within(WAKE_MS, 'a wait aborted before', changed(waiter, AbortSignal.abort()));
      const abort = new AbortController();
      const wait = changed(waiter, abort.signal);
      abort.abort();
      await stage.within(WAKE_MS, 'a wait aborted meanwhile', wait);
    },
  },
  {
    name: 'a contender that withdraws leaves nothing stored, and blocks no other',
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const grant = await a.acquire(key, stage.longMs);
      const waiter = b.contend(key, stage.longMs);
      await b.definiteAttempt(waiter);
      await waiter.changed?.(AbortSignal.abort());

      const withdrawal = await waiter.withdraw();
      assertRule(withdrawal.kind === 'clean', `its withdrawal returned '${withdrawal.kind}'`);
      await a.release(grant);

      await c.mustAcquire(key, stage.longMs, 'the only waiter has withdrawn');
    },
  },
  {
    name: 'a contender without an attempt withdraws cleanly',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();

      const withdrawal = await a.contend(key, stage.longMs).withdraw();

      assertRule(withdrawal.kind === 'clean', `its withdrawal returned '${withdrawal.kind}'`);
      await b.mustAcquire(key, stage.longMs, 'no client made an attempt');
    },
  },
];

/** A held key: `b` has found it busy, and its subscription is live. */
async function waitingBehind(stage: Stage): Promise<{
  readonly a: Actor;
  readonly b: Actor;
  readonly grant: Awaited<ReturnType<Actor['acquire']>>;
  readonly key: string;
  readonly waiter: Contender;
}> {
  const [a, b] = await stage.actors('a', 'b');
  const key = stage.key();
  const grant = await a.acquire(key, stage.longMs);
  const waiter = b.contend(key, stage.longMs);
  const isBusy = async (): Promise<void> =>
    assertRule((await b.definiteAttempt(waiter)).kind === 'busy', 'a held key was granted');
  await isBusy();
  // The start of the subscription counts as a change: the first wait ends at once, or as soon as it is live.
  const live = waiter.changed?.(new AbortController().signal) ?? Promise.resolve();
  await stage.within(WAKE_MS, 'the first wait, until its subscription is live', live);
  await isBusy();
  return { a, b, grant, key, waiter };
}

function changed(waiter: Contender, signal: AbortSignal): Promise<void> {
  const wait = waiter.changed?.(signal);
  if (wait === undefined) throw new Inapplicable('a contender of it cannot be woken');
  return wait;
}
