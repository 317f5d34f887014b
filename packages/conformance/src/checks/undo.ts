import type { Attempt, Contender, Grant } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule, textOf } from '../breach.ts';
import { needsFaults } from '../needs.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** Shorter than a client keeps a silent connection, so that the undo follows its request on this connection. */
const PATIENCE_MS = 500;
/** A busy machine may fail to send the request in time. */
const SENDS_MAX = 10;
/** Longer than a client keeps a silent connection, so that it heals the missed requests on the next one. */
const QUIET_MS = 6_000;
const RENEWALS = 3;
const PAUSE_MS = 500;

/** Requests that arrive late: the attempt itself, and the undo behind it. */
export const undo: readonly Check[] = [
  {
    name: 'a late undo does not affect the next attempt',
    needs: needsFaults('holdBack', 'letThrough'),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      await a.release(await a.acquire(stage.key(), stage.longMs));
      const contender = a.contend(key, stage.longMs);
      await stage.faults.holdBack?.(a.name);
      await mustGoUnanswered(stage, a, contender);
      const next = await a.definiteAttempt(contender);
      assertRule(
        next.kind === 'granted',
        `the attempt after it returned ${textOf(next.kind)}, though no other client requested the key`,
      );

      // An undo that the backend sends by itself, before the late request arrives, must not affect it either.
      await stage.sleep(PAUSE_MS);
      await mustBeStillHeld(stage, { a, b, key, grant: next.grant });

      await stage.faults.letThrough?.(a.name);

      await mustBeStillHeld(stage, { a, b, key, grant: next.grant });
      const { kind } = await a.release(next.grant);
      assertRule(kind === 'released', `${HOLDS}, but its release returned '${kind}'`);
      await b.mustAcquire(key, stage.longMs, 'everything was undone or released');
    },
  },
  {
    name: 'a late undo does not remove a vote that a renewal counts',
    needs: needsFaults('holdBackFew', 'letThrough', 'restartFewEmpty'),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      await a.release(await a.acquire(stage.key(), stage.longMs));
      await stage.faults.holdBackFew?.(a.name);
      const grant = await a.mustAcquire(
        key,
        stage.longMs,
        'few servers do not receive its request',
      );
      await a.sleep(QUIET_MS);
      for (let i = 0; i < RENEWALS; i++) {
        await a.sleep(PAUSE_MS);
        await a.renew(grant, stage.longMs);
      }

      await stage.faults.letThrough?.(a.name);
      await stage.faults.restartFewEmpty?.();

      const { kind } = await a.renew(grant, stage.longMs);
      assertRule(
        kind === 'renewed',
        `few servers lost their data, but its renewal returned '${kind}'`,
      );
      await b.mustFindBusy(key, stage.longMs, `${a.name} has renewed`);
    },
  },
];

const HOLDS = 'an earlier attempt was undone, and a later one holds the key';

interface HeldKey {
  readonly a: Actor;
  readonly b: Actor;
  readonly key: string;
  readonly grant: Grant;
}

async function mustBeStillHeld(stage: Stage, { a, b, key, grant }: HeldKey): Promise<void> {
  await b.mustFindBusy(key, stage.longMs, HOLDS);
  if (grant.renew === undefined) return;
  const { kind } = await a.renew(grant, stage.longMs);
  assertRule(kind === 'renewed', `${HOLDS}, but its renewal returned '${kind}'`);
  await b.mustFindBusy(key, stage.longMs, HOLDS);
}

async function mustGoUnanswered(stage: Stage, a: Actor, contender: Contender): Promise<void> {
  let kind = await unanswered(stage, a, contender);
  for (let i = 1; i < SENDS_MAX && kind === 'unavailable'; i++)
    kind = await unanswered(stage, a, contender);
  assertRule(kind === 'unknown', `an attempt that was held back returned '${kind}'`);
}

async function unanswered(stage: Stage, a: Actor, contender: Contender): Promise<Attempt['kind']> {
  const attempt = contender.attempt(a.inMs(PATIENCE_MS));
  return (await stage.within(PATIENCE_MS + 1, 'an attempt that was held back', attempt)).kind;
}
