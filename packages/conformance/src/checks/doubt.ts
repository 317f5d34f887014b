import type { Attempt, Contender, Withdrawal } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule, textOf } from '../breach.ts';
import { needsFaults } from '../needs.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** Call deadlines that an attempt may take: one for its requests, one for the releases of lost votes. */
const CALLS_MAX = 2;
/** Virtual clocks count in microseconds. */
const ROUNDING_MS = 1;
const SENDS_MAX = 10;
/** Short leases in this ttl: long enough for a busy machine, short enough for a call deadline below a second. */
const TTLS = 5;

/** Rules for lost replies, and for replies that are not those of a lock. */
export const doubt: readonly Check[] = [
  {
    name: 'an attempt whose deadline has passed settles, and leaves nothing stored unless it was granted',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      // Opens connections or sessions first.
      await a.release(await a.acquire(key, stage.longMs));
      const contender = a.contend(key, stage.longMs);

      const late = await stage.within(
        ROUNDING_MS,
        'an attempt whose deadline has passed',
        contender.attempt(a.inMs(-1)),
      );

      if (late.kind === 'granted') return b.mustFindBusy(key, stage.longMs, 'it was granted');
      await comesFree(stage, a, b, key, await contender.withdraw());
    },
  },
  {
    name: 'a hold whose reply was lost is released by the withdrawal, or gone by the time that it reports',
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
    name: 'an attempt whose reply was lost does not block its own contender',
    needs: needsFaults('loseReplies', 'restoreReplies'),
    async run(stage) {
      const a = await stage.actor('a');
      // A long ttl, so that expiry does not free the key, even if a busy machine reconnects slowly.
      const contender = await lostReply(stage, a, stage.key(), TTLS * stage.shortMs);

      const outcome = await a.definiteAttempt(contender);

      assertRule(
        outcome.kind === 'granted',
        `its next attempt returned '${outcome.kind}', though no other client requested the key`,
      );
    },
  },
  {
    name: 'a release whose reply was lost is unknown, and the key becomes free',
    needs: needsFaults('loseReplies', 'restoreReplies'),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.acquire(key, stage.shortMs);
      await stage.faults.loseReplies?.(a.name);

      const release = await stage.within(
        stage.shortMs,
        'a release without a reply',
        grant.release(),
      );
      await stage.faults.restoreReplies?.(a.name);

      assertRule(release.kind === 'unknown', `its release returned '${release.kind}'`);
      await b.acquire(key, stage.longMs);
    },
  },
  {
    name: 'a store that restarts without its data holds nothing: a renewal is lost',
    needs: needsFaults('restartEmpty'),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.acquire(key, stage.longMs);
      await stage.faults.restartEmpty?.();

      const renewal = await a.renew(grant, stage.longMs);

      assertRule(renewal.kind === 'lost', `its renewal returned '${renewal.kind}'`);
      await b.acquire(key, stage.longMs);
    },
  },
  {
    name: 'a foreign value under the key is refused, named and left unchanged',
    needs: needsFaults('putForeign'),
    async run(stage) {
      const a = await stage.actor('a');
      const key = stage.key();
      const isStored = await stage.faults.putForeign?.(key);

      const outcome = await a.tryAcquire(key, stage.longMs);
      await a.backend.forceRelease?.(key).catch(() => undefined);

      assertRule(outcome.kind === 'refused', `an attempt on it returned '${outcome.kind}'`);
      const { error } = outcome;
      assertRule(
        error.key === key,
        `the error names the key ${textOf(error.key)}, not ${textOf(key)}`,
      );
      assertRule((await isStored?.()) === true, 'the foreign value is gone');
    },
  },
];

/** A contender whose first attempt was executed by the store, but whose reply was lost. */
async function lostReply(stage: Stage, a: Actor, key: string, ttlMs: number): Promise<Contender> {
  const contender = a.contend(key, ttlMs);
  await attemptWithoutReply(stage, a, contender, ttlMs);
  return contender;
}

/** Makes one attempt that the store executes, but whose reply is lost. */
export async function attemptWithoutReply(
  stage: Stage,
  a: Actor,
  contender: Contender,
  ttlMs: number,
): Promise<void> {
  // Opens connections or sessions first, so that the reply to this request is the one that is lost.
  await a.release(await a.acquire(stage.key(), stage.longMs));
  await stage.faults.loseReplies?.(a.name);
  let kind = await unanswered(stage, contender, ttlMs);
  // A busy machine may fail to send the request in time.
  for (let i = 1; i < SENDS_MAX && kind === 'unavailable'; i++)
    kind = await unanswered(stage, contender, ttlMs);
  await stage.faults.restoreReplies?.(a.name);
  assertRule(kind === 'unknown', `an attempt without a reply returned '${kind}'`);
}

async function unanswered(
  stage: Stage,
  contender: Contender,
  ttlMs: number,
): Promise<Attempt['kind']> {
  const attempt = contender.attempt(Number.MAX_SAFE_INTEGER);
  const limitMs = CALLS_MAX * ttlMs;
  const { kind } = await stage.within(limitMs, 'an attempt without a reply', attempt);
  return kind;
}

/** After a clean withdrawal the key must be free; after an unknown one, by the time that it reported. */
export async function comesFree(
  stage: Stage,
  a: Actor,
  b: Actor,
  key: string,
  withdrawal: Withdrawal,
): Promise<void> {
  if (withdrawal.kind === 'clean') {
    await b.mustAcquire(key, stage.longMs, `${a.name} has withdrawn cleanly`);
    return;
  }
  const { untilMs } = withdrawal;
  assertRule(untilMs > 0, 'an unknown withdrawal reports that nothing is stored any more');
  if (untilMs === Number.POSITIVE_INFINITY) {
    // While a session lives, no time limit is known: the backend must retry until the node is deleted.
    await b.acquire(key, stage.longMs);
    return;
  }
  await stage.sleep(Math.min(untilMs, 2 * stage.longMs));
  await b.mustAcquire(
    key,
    stage.longMs,
    `the withdrawal of ${a.name} reported: gone after ${untilMs} ms`,
  );
}
