import type { HoldMode } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule, textOf } from '../breach.ts';
import { needsFaults, needsOutlive } from '../needs.ts';
import type { BackendUnderTest, Check } from '../subject.ts';
import { attemptWithoutReply, comesFree } from './doubt.ts';

const SHARED: HoldMode = { kind: 'shared' };
const WRITER: HoldMode = { kind: 'exclusive' };
const permits = (count: number, of: number): HoldMode => ({ kind: 'permits', permits: count, of });

const needsMode =
  (mode: 'shared' | 'permits') =>
  ({ capabilities }: BackendUnderTest): string | undefined =>
    capabilities.modes?.includes(mode) === true ? undefined : `it has no mode '${mode}'`;
const needsReaders = needsMode('shared');
const needsPermits = needsMode('permits');

/** Rules for readers, writers and semaphores. Skipped where the backend does not have the mode. */
export const modes: readonly Check[] = [
  {
    name: 'readers hold a key beside each other, and exclude every other holder until the last of them is gone',
    needs: needsReaders,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const first = await a.mustAcquire(key, stage.longMs, 'the key is free', SHARED);
      const second = await b.mustAcquire(key, stage.longMs, 'only a reader holds it', SHARED);
      const isShut = async (why: string): Promise<void> => {
        await b.mustFindBusy(key, stage.longMs, why);
        await b.mustFindBusy(key, stage.longMs, why, WRITER);
      };
      await isShut('two readers hold it');
      const renewal = await a.renew(first, stage.longMs);
      assertRule(renewal.kind === 'renewed', `a reader’s renewal returned '${renewal.kind}'`);
      const release = await a.release(first);
      assertRule(release.kind === 'released', `a reader’s release returned '${release.kind}'`);
      const again = await a.release(first);
      assertRule(again.kind === 'not-held', `its second release returned '${again.kind}'`);
      await isShut('one reader still holds it');
      await b.release(second);

      const writer = await a.mustAcquire(key, stage.longMs, 'both readers are gone', WRITER);
      await b.mustFindBusy(key, stage.longMs, 'a writer holds it', SHARED);
      await a.release(writer);
      await b.mustAcquire(key, stage.longMs, 'the writer is gone');
      await a.mustFindBusy(key, stage.longMs, 'it is held exclusively', SHARED);
    },
  },
  {
    name: 'a reader after a writer, and a writer after a reader, have larger tokens than those before',
    needs: (subject) =>
      needsReaders(subject) ??
      (subject.capabilities.fencing === 'none' ? 'it has no tokens' : undefined),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      let latest = 0n;
      for (const mode of [WRITER, SHARED, WRITER, SHARED, undefined, SHARED]) {
        const grant = await a.mustAcquire(key, stage.longMs, 'the key is free', mode);
        const { fencingToken = 0n } = grant;
        assertRule(fencingToken > latest, `${latest} was followed by ${textOf(fencingToken)}`);
        latest = fencingToken;
        if (mode === SHARED) {
          const beside = await b.mustAcquire(key, stage.longMs, 'a reader holds it', SHARED);
          assertRule(
            beside.fencingToken === latest,
            `beside a reader with ${latest} one has ${textOf(beside.fencingToken)}: a resource would refuse the older one`,
          );
          await b.release(beside);
        }
        await a.release(grant);
      }
      const first = await a.mustAcquire(key, stage.longMs, 'the key is free', SHARED);
      const second = await b.mustAcquire(key, stage.longMs, 'a reader holds it', SHARED);
      await a.release(first);
      const third = await a.mustAcquire(key, stage.longMs, 'a reader holds it', SHARED);
      assertRule(
        third.fencingToken === second.fencingToken,
        `the first reader has gone, and beside one with ${textOf(second.fencingToken)} a new one has ${textOf(third.fencingToken)}`,
      );
    },
  },
  {
    name: 'a reader that does not renew expires alone',
    needs: (subject) => needsReaders(subject) ?? needsOutlive(subject),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const long = await b.mustAcquire(key, stage.longMs, 'the key is free', SHARED);
      const short = await a.mustAcquire(key, stage.shortMs, 'a reader holds it', SHARED);
      await stage.outlive(a);

      const late = await a.renew(short, stage.shortMs);
      assertRule(late.kind === 'lost', `the renewal of an expired reader returned '${late.kind}'`);
      await a.mustFindBusy(key, stage.longMs, 'the other reader still holds it', WRITER);
      const { kind } = await b.renew(long, stage.longMs);
      assertRule(kind === 'renewed', `the other reader’s renewal returned '${kind}'`);
      await b.release(long);
      await a.mustAcquire(key, stage.longMs, 'no reader is left', WRITER);
    },
  },
  {
    name: 'readers and writers are granted the key in order of arrival: a waiting writer is passed by no reader',
    needs: needsReaders,
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const reader = await a.mustAcquire(key, stage.longMs, 'the key is free', SHARED);
      const writing = b.contend(key, stage.longMs, WRITER);
      const reading = c.contend(key, stage.longMs, SHARED);
      await mustWait(b, writing, 'a reader holds it');
      await mustWait(c, reading, 'a writer waits in front');
      await a.release(reader);
      await mustWait(c, reading, 'it is the writer’s turn');

      const writer = await b.waitForGrant(writing);
      await mustWait(c, reading, 'the writer holds it');
      await b.release(writer);
      await c.release(await c.waitForGrant(reading));
    },
  },
  {
    name: 'a waiting writer that withdraws, or dies, lets the readers behind it in',
    needs: (subject) => needsReaders(subject) ?? needsOutlive(subject),
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      await a.mustAcquire(key, stage.longMs, 'the key is free', SHARED);
      const writing = b.contend(key, stage.longMs, WRITER);
      await mustWait(b, writing, 'a reader holds it');
      await writing.withdraw();
      await c.mustAcquire(key, stage.longMs, 'the writer has gone', SHARED);
      const { lease, queue } = stage.subject.capabilities;
      // There a waiter keeps its place until its process dies, which no subject can do.
      if (lease === 'per-call-ttl' && queue === 'fifo') return;

      await mustWait(b, b.contend(key, stage.shortMs, WRITER), 'readers hold it');
      const reading = c.contend(key, stage.longMs, SHARED);
      await mustWait(c, reading, 'a writer waits in front');
      await stage.outlive(b);
      await c.waitForGrant(reading);
    },
  },
  {
    name: 'a reader’s attempt whose reply was lost is repeated by its contender, and given up it frees the key',
    needs: (subject) =>
      needsReaders(subject) ?? needsFaults('loseReplies', 'restoreReplies')(subject),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const [key, other] = [stage.key(), stage.key()];
      const repeating = a.contend(key, stage.shortMs, SHARED);
      await attemptWithoutReply(stage, a, repeating, stage.shortMs);
      const outcome = await a.definiteAttempt(repeating);
      assertRule(outcome.kind === 'granted', `its next attempt returned '${outcome.kind}'`);
      await a.release(outcome.grant);
      await b.acquire(key, stage.longMs);

      const leaving = a.contend(other, stage.shortMs, SHARED);
      await attemptWithoutReply(stage, a, leaving, stage.shortMs);
      await comesFree(stage, a, b, other, await leaving.withdraw());
    },
  },
  {
    name: 'a writer becomes a reader without a gap, once, under a larger token',
    needs: needsReaders,
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const writer = await a.mustAcquire(key, stage.longMs, 'the key is free', WRITER);
      const next = b.contend(key, stage.longMs, WRITER);
      await mustWait(b, next, 'a writer holds it');
      const exported = a.exportOf(writer);

      const reader = await a.adopt(key, exported, stage.longMs, SHARED);

      assertRule(reader.kind === 'granted', `it returned ${textOf(reader.kind)}`);
      assertRule(
        (reader.grant.fencingToken ?? 1n) > (writer.fencingToken ?? 0n),
        `the writer’s token ${textOf(writer.fencingToken)} was followed by ${textOf(reader.grant.fencingToken)}`,
      );
      const second = await c.adopt(key, exported, stage.longMs, SHARED);
      assertRule(second.kind === 'refused', `a second time it returned '${second.kind}'`);
      await mustWait(b, next, 'a reader holds it');
      const late = await a.release(writer);
      assertRule(late.kind === 'not-held', `the writer’s release returned '${late.kind}'`);
      const renewal = await a.renew(reader.grant, stage.longMs);
      assertRule(renewal.kind === 'renewed', `the reader’s renewal returned '${renewal.kind}'`);
      await a.release(reader.grant);
      await b.waitForGrant(next);
    },
  },
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
      await mustWait(b, many, 'one of three is held');
      await mustWait(c, few, 'another waits in front');
      await a.release(one);
      const all = await b.waitForGrant(many);
      await mustWait(c, few, 'all are held');
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
    name: 'a key is not held by readers and as a semaphore at once: the second is refused, the first stays',
    needs: (subject) => needsReaders(subject) ?? needsPermits(subject),
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
];

async function mustWait(
  actor: Actor,
  contender: ReturnType<Actor['contend']>,
  why: string,
): Promise<void> {
  const { kind } = await actor.definiteAttempt(contender);
  assertRule(kind === 'busy', `${why}, but ${actor.name} received '${kind}'`);
}
