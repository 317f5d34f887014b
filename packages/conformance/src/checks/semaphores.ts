import type { HoldMode } from '@holdfast/core/backend';
import { assertRule, textOf } from '../breach.ts';
import { needsMode } from '../needs.ts';
import type { Check } from '../subject.ts';
import { SHARED, WRITER } from './readers.ts';

const permits = (count: number, of: number): HoldMode => ({ kind: 'permits', permits: count, of });
const needsPermits = needsMode('permits');

/** Rules for semaphores. Skipped where the backend does not have the mode. */
export const semaphores: readonly Check[] = [
  {
    name: 'a semaphore grants its permits, and never more; a released one is granted again',
    needs: needsPermits,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const two = await a.mustAcquire(key, stage.longMs, 'the key is free', permits(2, 3));
      const one = await b.mustAcquire(key, stage.longMs, 'one is left', permits(1, 3));
      await a.mustFindBusy(key, stage.longMs, 'all permits are held', permits(1, 3));
      await a.mustFindBusy(key, stage.longMs, 'permits are held');
      await a.renew(two, stage.longMs);
      await b.release(one);
      await b.release(one);
      const last = await a.mustAcquire(key, stage.longMs, 'one is left', permits(1, 3));
      await b.mustFindBusy(key, stage.longMs, 'all permits are held', permits(1, 3));
      await a.release(last);
      await a.release(two);
      await b.mustAcquire(key, stage.longMs, 'all were released', permits(3, 3));
    },
  },
  {
    name: 'who waits for many permits is not passed by those who want few',
    needs: needsPermits,
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const one = await a.mustAcquire(key, stage.longMs, 'the key is free', permits(1, 3));
      const many = b.contend(key, stage.longMs, permits(3, 3));
      const few = c.contend(key, stage.longMs, permits(1, 3));
      await b.mustWait(many, 'one of three is held');
      await c.mustWait(few, 'another waits in front');
      await a.release(one);
      const all = await b.waitForGrant(many);
      await c.mustWait(few, 'all are held');
      await b.release(all);
      await c.waitForGrant(few);
    },
  },
  {
    name: 'the smallest number of permits that a holder knows of counts for all',
    needs: needsPermits,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const small = await a.mustAcquire(key, stage.longMs, 'the key is free', permits(1, 2));
      const large = await b.mustAcquire(key, stage.longMs, 'one of two is left', permits(1, 5));
      await b.mustFindBusy(key, stage.longMs, 'a holder knows of two', permits(1, 5));
      await a.release(small);
      await b.mustAcquire(key, stage.longMs, 'all holders know of five', permits(3, 5));
      await a.mustFindBusy(key, stage.longMs, 'four are held', permits(1, 2));
      await b.release(large);
    },
  },
  {
    name: 'a contender for permits that meets another number of them warns, with the smaller one and with the larger one',
    needs: needsPermits,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const meets = async (kind: string, key: string, wanted: HoldMode): Promise<void> => {
        const before = b.warnings.length;
        const outcome = await b.tryAcquire(key, stage.longMs, wanted);
        assertRule(outcome.kind === kind, `a contender received '${outcome.kind}', not '${kind}'`);
        const codes = b.warnings.slice(before).join();
        const what = `a contender that received '${kind}' with ${textOf(wanted)}`;
        assertRule(codes === 'PERMITS_DIFFER', `${what} warned of '${codes}'`);
      };
      for (const [of, other] of [
        [2, 5],
        [5, 2],
      ] as const) {
        const [key, full] = [stage.key(), stage.key()];
        await a.mustAcquire(key, stage.longMs, 'the key is free', permits(1, of));
        await meets('granted', key, permits(1, other));
        // One of each number holds.
        for (const each of [of, other]) await meets('busy', key, permits(1, each));
        await a.mustAcquire(full, stage.longMs, 'the key is free', permits(2, of));
        await meets('busy', full, permits(1, other));
      }
      const alike = stage.key();
      const warned = b.warnings.length;
      await a.mustAcquire(alike, stage.longMs, 'the key is free', permits(1, 2));
      await b.mustAcquire(alike, stage.longMs, 'one is left', permits(1, 2));
      await b.mustFindBusy(alike, stage.longMs, 'both are held', permits(1, 2));
      assertRule(b.warnings.length === warned, 'it warned though all know of the same number');
    },
  },
  {
    name: 'a key is not held by readers and as a semaphore at once: the second is refused, the first stays',
    needs: (subject) => needsMode('shared')(subject) ?? needsPermits(subject),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const [key, other] = [stage.key(), stage.key()];
      const reader = await a.mustAcquire(key, stage.longMs, 'the key is free', SHARED);
      const holder = await a.mustAcquire(other, stage.longMs, 'the key is free', permits(1, 9));
      for (const [name, mode] of [
        [key, permits(1, 9)],
        [other, SHARED],
        [other, WRITER],
      ] as const) {
        const { kind } = await b.tryAcquire(name, stage.longMs, mode);
        assertRule(kind === 'refused', `a contender with ${mode.kind} received '${kind}'`);
      }
      for (const grant of [reader, holder]) {
        const { kind } = await a.release(grant);
        assertRule(kind === 'released', `then the release of the holder returned '${kind}'`);
      }
    },
  },
  {
    name: 'nobody is refused because one who only waits wants the key as another kind of lock',
    needs: (subject) => needsMode('shared')(subject) ?? needsPermits(subject),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      for (const [first, later] of [
        [SHARED, permits(1, 9)],
        [permits(1, 9), SHARED],
        [permits(1, 9), WRITER],
      ] as const) {
        const key = stage.key();
        const held = await a.mustAcquire(key, stage.longMs, 'the key is free');
        const waiting = a.contend(key, stage.longMs, first);
        await a.mustWait(waiting, 'it is held exclusively');
        const behind = b.contend(key, stage.longMs, later);
        await b.mustWait(behind, `it is held exclusively, and one with ${first.kind} only waits`);
        await behind.withdraw();
        await a.release(held);
        await a.release(await a.waitForGrant(waiting));
      }
    },
  },
];
