import type { Grant, Release } from '@holdfast/core/backend';
import { assertRule, Inapplicable, textOf } from '../breach.ts';
import type { Check } from '../subject.ts';

/** Releasing a key. */
export const release: readonly Check[] = [
  {
    name: 'a released key is free at once, for its old holder and for others',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const first = await a.acquire(key, stage.longMs);

      const outcome = await a.release(first);
      assertRule(outcome.kind === 'released', `the release returned '${outcome.kind}'`);
      const second = await b.mustAcquire(key, stage.longMs, 'the key was released');
      await b.release(second);

      await a.mustAcquire(key, stage.longMs, 'the key was released again');
    },
  },
  {
    name: 'a second release is not-held, and does not affect the next holder',
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const first = await a.acquire(key, stage.longMs);
      await a.release(first);
      await b.mustAcquire(key, stage.longMs, 'the key was released');

      const again = await a.release(first);

      assertRule(again.kind === 'not-held', `the second release returned '${again.kind}'`);
      await c.mustFindBusy(key, stage.longMs, 'only its former holder released a second time');
    },
  },
  {
    name: 'a hold is released to the next attempt for its key, and alone if none follows',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const first = await a.acquire(key, stage.longMs);
      const contender = a.contend(key, stage.longMs);

      const released = releaseToNext(first);
      const attempt = await a.definiteAttempt(contender);

      const { kind } = await released;
      assertRule(kind === 'released', `its release to the next attempt returned '${kind}'`);
      assertRule(attempt.kind === 'granted', `the next attempt returned '${attempt.kind}'`);
      const { fencingToken = 1n } = attempt.grant;
      assertRule(
        fencingToken > (first.fencingToken ?? 0n),
        `the token ${textOf(first.fencingToken)} was followed by ${textOf(fencingToken)}`,
      );
      await b.mustFindBusy(key, stage.longMs, 'its holder released it to the next attempt');
      const late = await a.release(first);
      assertRule(late.kind === 'not-held', `a second release returned '${late.kind}'`);

      const alone = await releaseToNext(attempt.grant);
      assertRule(alone.kind === 'released', `a release to nobody returned '${alone.kind}'`);
      await b.mustAcquire(key, stage.longMs, 'no attempt followed its release');
    },
  },
  {
    name: 'a hold that is over is released to nobody, and the hold of another client stays',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const over = await a.acquire(key, stage.longMs);
      await a.release(over);
      const grant = await b.mustAcquire(key, stage.longMs, 'the key was released');
      const contender = a.contend(key, stage.longMs);

      const released = releaseToNext(over);
      const attempt = await a.definiteAttempt(contender);
      await contender.withdraw();

      const { kind } = await released;
      assertRule(kind === 'not-held', `its release to the next attempt returned '${kind}'`);
      assertRule(attempt.kind === 'busy', `the next attempt returned '${attempt.kind}'`);
      const renewal = await b.renew(grant, stage.longMs);
      assertRule(renewal.kind === 'renewed', `the other client’s renewal: '${renewal.kind}'`);
    },
  },
];

function releaseToNext(grant: Grant): Promise<Release> {
  if (grant.releaseToNext === undefined)
    throw new Inapplicable('its holds are not released to one attempt');
  return grant.releaseToNext();
}
