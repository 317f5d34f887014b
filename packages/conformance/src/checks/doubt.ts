import type { Attempt, Contender, Withdrawal } from '@holdfast/core';
import type { Actor } from '../actor.ts';
import { assertRule, shown } from '../breach.ts';
import { needsFaults } from '../needs.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** An attempt may await the releases of what it lost, for as long as a call may take; then it settles. */
const CALLS_MAX = 2;
/** Virtual clocks count in microseconds. */
const ROUNDING_MS = 1;
const SENDS_MAX = 10;
/** Long enough to outlast a machine that is busy, and short enough for a call to give up within a second. */
const TTLS = 5;

/** Where an answer is lost, or is not what a lock gives: neither yes nor no. */
export const doubt: readonly Check[] = [
  {
    name: 'an attempt whose deadline has passed settles, and leaves nothing behind unless it was granted',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      // Opens what has to be opened.
      await a.release(await a.take(key, stage.longMs));
      const contender = a.contend(key, stage.longMs);

      const late = await stage.within(
        ROUNDING_MS,
        'an attempt whose deadline has passed',
        contender.attempt(a.inMs(-1)),
      );

      if (late.kind === 'granted') return b.isToldBusy(key, stage.longMs, 'it was granted');
      await comesFree(stage, a, b, key, await contender.withdraw());
    },
  },
  {
    name: 'what an attempt won whose reply was lost is given back, or gone when its withdrawal said',
    needs: needsFaults('loseReplies', 'restoreReplies'),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const contender = await lostReply(stage, a, key, stage.shortMs);

      const withdrawal = await contender.withdraw();

      await comesFree(stage, a, b, key, withdrawal);
    },
  },
  {
    name: 'an attempt whose reply was lost does not keep its own contender out',
    needs: needsFaults('loseReplies', 'restoreReplies'),
    async run(stage) {
      const a = await stage.actor('a');
      // Its time is not what frees the key, however long a busy machine takes to connect anew.
      const contender = await lostReply(stage, a, stage.key(), TTLS * stage.shortMs);

      const answer = await a.answer(contender);

      assertRule(
        answer.kind === 'granted',
        `its next attempt was answered '${answer.kind}', though nobody else asked for the key`,
      );
    },
  },
  {
    name: 'a release whose reply was lost is not told as done, and the key comes free',
    needs: needsFaults('loseReplies', 'restoreReplies'),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.take(key, stage.shortMs);
      await stage.faults.loseReplies?.(a.name);

      const release = await stage.within(
        stage.shortMs,
        'a release without an answer',
        grant.release(),
      );
      await stage.faults.restoreReplies?.(a.name);

      assertRule(release.kind === 'unknown', `its release was told '${release.kind}'`);
      await b.take(key, stage.longMs);
    },
  },
  {
    name: 'a store that comes back without its data holds nothing: a renewal is not told that it does',
    needs: needsFaults('restartEmpty'),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.take(key, stage.longMs);
      await stage.faults.restartEmpty?.();

      const renewal = await a.renew(grant, stage.longMs);

      assertRule(renewal.kind === 'lost', `its renewal was answered '${renewal.kind}'`);
      await b.take(key, stage.longMs);
    },
  },
  {
    name: 'what stands under the key and is not a lock is refused, named and left alone',
    needs: needsFaults('putForeign'),
    async run(stage) {
      const a = await stage.actor('a');
      const key = stage.key();
      const stands = await stage.faults.putForeign?.(key);

      const answer = await a.ask(key, stage.longMs);
      await a.backend.forceRelease?.(key).catch(() => undefined);

      assertRule(answer.kind === 'refused', `an attempt on it was answered '${answer.kind}'`);
      const { error } = answer;
      assertRule(
        error.key === key,
        `the error names the key ${shown(error.key)}, not ${shown(key)}`,
      );
      assertRule((await stands?.()) === true, 'it does not stand there any more');
    },
  },
];

/** A contender whose first attempt was executed by the store, and never answered. */
async function lostReply(stage: Stage, a: Actor, key: string, ttlMs: number): Promise<Contender> {
  // Opens what has to be opened, so that it is this request whose reply is lost.
  await a.release(await a.take(stage.key(), stage.longMs));
  const contender = a.contend(key, ttlMs);
  await stage.faults.loseReplies?.(a.name);
  let kind = await unanswered(stage, contender, ttlMs);
  // A busy machine may not get round to sending anything in time.
  for (let i = 1; i < SENDS_MAX && kind === 'unavailable'; i++)
    kind = await unanswered(stage, contender, ttlMs);
  await stage.faults.restoreReplies?.(a.name);
  assertRule(kind === 'unknown', `an attempt without an answer was told '${kind}'`);
  return contender;
}

async function unanswered(
  stage: Stage,
  contender: Contender,
  ttlMs: number,
): Promise<Attempt['kind']> {
  const attempt = contender.attempt(Number.MAX_SAFE_INTEGER);
  const limitMs = CALLS_MAX * ttlMs;
  const { kind } = await stage.within(limitMs, 'an attempt without an answer', attempt);
  return kind;
}

/** After a clean withdrawal the key is free; after another one, by the time it named. */
async function comesFree(
  stage: Stage,
  a: Actor,
  b: Actor,
  key: string,
  withdrawal: Withdrawal,
): Promise<void> {
  if (withdrawal.kind === 'clean') {
    await b.getsAtOnce(key, stage.longMs, `${a.name} has withdrawn cleanly`);
    return;
  }
  const { untilMs } = withdrawal;
  assertRule(untilMs > 0, 'a doubtful withdrawal says that nothing stands any more');
  if (untilMs === Number.POSITIVE_INFINITY) {
    // While a session lives there is no time by which it is gone: the backend has to go on until it is.
    await b.take(key, stage.longMs);
    return;
  }
  await stage.sleep(Math.min(untilMs, 2 * stage.longMs));
  await b.getsAtOnce(key, stage.longMs, `${a.name}’s withdrawal said: gone after ${untilMs} ms`);
}
