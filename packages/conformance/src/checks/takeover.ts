import type { Grant } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule } from '../breach.ts';
import { needsOutlive } from '../needs.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** Attempts of the next client within one lease. */
const LOOKS = 20;

/** A lease that ended by itself, and the calls of its old and its new holder after that. */
export const takeover: readonly Check[] = [
  {
    name: 'a lease without renewal ends: the next client acquires the key, but never within the validity',
    needs: needsOutlive,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const { validity } = await a.acquire(key, stage.shortMs);
      const outlived = stage.outlive(a);

      for (;;) {
        const outcome = await b.tryAcquire(key, stage.longMs);
        const elapsedMs = a.runtime.elapsedMs(validity.from);
        if (outcome.kind === 'granted') {
          assertRule(
            elapsedMs >= validity.ms,
            `a second holder was granted the key ${elapsedMs} ms into a validity of ${validity.ms} ms`,
          );
          break;
        }
        assertRule(outcome.kind === 'busy', 'a held key was refused');
        assertRule(elapsedMs < LOOKS * stage.shortMs, 'a lease without renewal never ended');
        await b.sleep(stage.shortMs / LOOKS);
      }
      await outlived;
    },
  },
  {
    name: 'after a takeover the old holder’s renewal is lost, and does not affect the new holder',
    needs: needsOutlive,
    async run(stage) {
      const { a, b, c, key, old, fresh } = await takenOver(stage);

      const renewal = await a.renew(old, stage.longMs);

      assertRule(renewal.kind === 'lost', `the old holder’s renewal returned '${renewal.kind}'`);
      await c.mustFindBusy(key, stage.longMs, 'only the old holder tried to renew');
      const kept = await b.renew(fresh, stage.longMs);
      assertRule(
        kept.kind === 'renewed',
        `after that the new holder’s renewal returned '${kept.kind}'`,
      );
    },
  },
  {
    name: 'after a takeover the old holder’s release is not-held, and does not affect the new holder',
    needs: needsOutlive,
    async run(stage) {
      const { a, c, key, old } = await takenOver(stage);

      const release = await a.release(old);

      assertRule(
        release.kind === 'not-held',
        `the old holder’s release returned '${release.kind}'`,
      );
      await c.mustFindBusy(key, stage.longMs, 'only the old holder released');
    },
  },
  {
    name: 'a lease taken over after expiry is released by its new owner, and then the key is free',
    needs: needsOutlive,
    async run(stage) {
      const { b, c, key, fresh } = await takenOver(stage);

      const release = await b.release(fresh);

      assertRule(release.kind === 'released', `its release returned '${release.kind}'`);
      await c.mustAcquire(key, stage.longMs, 'its new owner has released it');
    },
  },
  {
    name: 'a late renewal does not restore a lease that has ended',
    needs: needsOutlive,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const old = await a.acquire(key, stage.shortMs);
      await stage.outlive(a);

      const renewal = await a.renew(old, stage.longMs);

      assertRule(renewal.kind === 'lost', `a renewal of it returned '${renewal.kind}'`);
      await b.mustAcquire(key, stage.longMs, 'the lease has ended');
    },
  },
];

interface TakenOver {
  /** The old holder, which does not know of its loss yet. */
  readonly a: Actor;
  /** The new holder. */
  readonly b: Actor;
  /** A third process. */
  readonly c: Actor;
  readonly key: string;
  readonly old: Grant;
  readonly fresh: Grant;
}

async function takenOver(stage: Stage): Promise<TakenOver> {
  const [a, b, c] = await stage.actors('a', 'b', 'c');
  const key = stage.key();
  const old = await a.acquire(key, stage.shortMs);
  await stage.outlive(a);
  const fresh = await b.acquire(key, stage.longMs);
  return { a, b, c, key, old, fresh };
}
