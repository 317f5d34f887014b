import type { HoldMode } from '@holdfast/core/backend';
import { assertRule, textOf } from '../breach.ts';
import { needsFaults, needsMode, needsOutlive } from '../needs.ts';
import type { Check } from '../subject.ts';
import { attemptWithoutReply, comesFree } from './doubt.ts';

export const SHARED: HoldMode = { kind: 'shared' };
export const WRITER: HoldMode = { kind: 'exclusive' };
const needsReaders = needsMode('shared');

/** Rules for readers and writers. Skipped where the backend does not have the mode. */
export const readers: readonly Check[] = [
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
      await b.mustWait(writing, 'a reader holds it');
      await c.mustWait(reading, 'a writer waits in front');
      await a.release(reader);
      await c.mustWait(reading, 'it is the writer’s turn');

      const writer = await b.waitForGrant(writing);
      await c.mustWait(reading, 'the writer holds it');
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
      await b.mustWait(writing, 'a reader holds it');
      await writing.withdraw();
      await c.mustAcquire(key, stage.longMs, 'the writer has gone', SHARED);
      const { lease, queue } = stage.subject.capabilities;
      // There a waiter keeps its place until its process dies, which no subject can do.
      if (lease === 'per-call-ttl' && queue === 'fifo') return;

      await b.mustWait(b.contend(key, stage.shortMs, WRITER), 'readers hold it');
      const reading = c.contend(key, stage.longMs, SHARED);
      await c.mustWait(reading, 'a writer waits in front');
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
      await b.mustWait(next, 'a writer holds it');
      const exported = a.exportOf(writer);

      const reader = await a.adopt(key, exported, stage.longMs, SHARED);

      assertRule(reader.kind === 'granted', `it returned ${textOf(reader.kind)}`);
      assertRule(
        (reader.grant.fencingToken ?? 1n) > (writer.fencingToken ?? 0n),
        `the writer’s token ${textOf(writer.fencingToken)} was followed by ${textOf(reader.grant.fencingToken)}`,
      );
      const second = await c.adopt(key, exported, stage.longMs, SHARED);
      assertRule(second.kind === 'refused', `a second time it returned '${second.kind}'`);
      await b.mustWait(next, 'a reader holds it');
      const late = await a.release(writer);
      assertRule(late.kind === 'not-held', `the writer’s release returned '${late.kind}'`);
      const renewal = await a.renew(reader.grant, stage.longMs);
      assertRule(renewal.kind === 'renewed', `the reader’s renewal returned '${renewal.kind}'`);
      await a.release(reader.grant);
      await b.waitForGrant(next);
    },
  },
];
