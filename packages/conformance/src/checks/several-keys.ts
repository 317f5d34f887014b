import type { Contender, Grant } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule, Inapplicable, textOf } from '../breach.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** A contender for several keys gets all of them or none, and is excluded by contenders for one. */
export const severalKeys: readonly Check[] = [
  {
    name: 'several keys in one step: all are granted, each with a grant of its own',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const [first, second] = keysOf(stage);

      const grant = await mustAcquireAll(a, [first, second], stage);
      for (const key of [first, second])
        await b.mustFindBusy(key, stage.longMs, 'a contender for several keys holds it');
      const part = partOf(grant, first);
      if (part.renew !== undefined) {
        const { kind } = await a.renew(part, stage.longMs);
        assertRule(kind === 'renewed', `the grant of one key is ${kind}, not renewed`);
      }
      await a.release(part);
      await b.mustAcquire(first, stage.longMs, 'the grant of this key was released');
      await b.mustFindBusy(second, stage.longMs, 'only the grant of another key was released');
      await a.release(partOf(grant, second));
      await b.mustAcquire(second, stage.longMs, 'the grants of all keys were released');
    },
  },
  {
    name: 'several keys in one step: if one is taken, it is named, and the others stay free',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const [first, second] = keysOf(stage);

      const held = await a.mustAcquire(second, stage.longMs, 'the key is free');
      const contender = contendAll(b, [first, second], stage);
      const outcome = await b.definiteAttempt(contender);
      const isNamed = outcome.kind === 'busy' && outcome.key === second;
      assertRule(isNamed, `'${second}' is taken, but ${b.name} received ${textOf(outcome)}`);
      const free = await a.mustAcquire(first, stage.longMs, 'nothing was granted');
      await a.release(free);
      await a.release(held);
      const grant = await b.waitForGrant(contender);
      await b.release(grant);
      await a.mustAcquire(first, stage.longMs, 'the whole grant was released');
      await a.mustAcquire(second, stage.longMs, 'the whole grant was released');
    },
  },
  {
    name: 'several keys in one step: each token is larger than that of the last grant of its key',
    needs: ({ capabilities }) =>
      capabilities.fencing === 'none' ? 'it has no fencing tokens' : undefined,
    async run(stage) {
      const a = await stage.actor('a');
      const keys = keysOf(stage);
      const tokens = new Map<string, bigint>();
      for (const key of keys) {
        const grant = await a.mustAcquire(key, stage.longMs, 'the key is free');
        tokens.set(key, grant.fencingToken ?? 0n);
        await a.release(grant);
      }

      const grant = await mustAcquireAll(a, keys, stage);
      for (const key of keys) {
        const { fencingToken } = partOf(grant, key);
        const last = tokens.get(key) ?? 0n;
        const isLarger = fencingToken !== undefined && fencingToken > last;
        assertRule(isLarger, `the token of '${key}' is ${fencingToken}, after ${last}`);
      }
    },
  },
];

/** Two new keys, sorted. */
function keysOf(stage: Stage): readonly [string, string] {
  const key = stage.key();
  return [`${key}/a`, `${key}/b`];
}

/** @throws Inapplicable if the backend takes one key after the other */
function contendAll(actor: Actor, keys: readonly string[], stage: Stage): Contender {
  const contender = actor.contendAll(keys, stage.longMs);
  if (contender === undefined) throw new Inapplicable('it takes one key after the other');
  return contender;
}

async function mustAcquireAll(actor: Actor, keys: readonly string[], stage: Stage): Promise<Grant> {
  const outcome = await actor.definiteAttempt(contendAll(actor, keys, stage));
  const received = `the keys are free, but ${actor.name} received ${textOf(outcome)}`;
  assertRule(outcome.kind === 'granted', received);
  return outcome.grant;
}

function partOf({ parts }: Grant, key: string): Grant {
  const part = parts?.get(key);
  assertRule(part !== undefined, `the grant of several keys has no part for '${key}'`);
  return part;
}
