import { assertRule, textOf } from '../breach.ts';
import { needsFaults } from '../needs.ts';
import type { Check } from '../subject.ts';
import { attemptWithoutReply, comesFree } from './doubt.ts';

/** Rules for leases that one process exports and another adopts. Skipped where the backend has no `adopt`. */
export const handOver: readonly Check[] = [
  {
    name: 'an exported hold is adopted once, under a larger token, and its exporter affects it no more',
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const grant = await a.acquire(key, stage.longMs);
      const exported = a.exportOf(grant);

      const adopted = await b.adopt(key, exported, stage.longMs);

      assertRule(adopted.kind === 'granted', `its adoption returned ${textOf(adopted.kind)}`);
      const { owner, fencingToken = 1n } = adopted.grant;
      assertRule(owner !== grant.owner, 'the adopter has the owner value of the exporter');
      assertRule(
        fencingToken > (grant.fencingToken ?? 0n),
        `the token ${textOf(grant.fencingToken)} was followed by ${textOf(fencingToken)}`,
      );
      const second = await c.adopt(key, exported, stage.longMs);
      assertRule(second.kind === 'refused', `a second adoption returned ${textOf(second.kind)}`);
      const late = await a.renew(grant, stage.longMs);
      assertRule(late.kind === 'lost', `the exporter’s late renewal returned '${late.kind}'`);
      const freed = await a.release(grant);
      assertRule(freed.kind === 'not-held', `the exporter’s release returned '${freed.kind}'`);

      await c.mustFindBusy(key, stage.longMs, `${b.name} has adopted the hold`);
      const renewal = await b.renew(adopted.grant, stage.longMs);
      assertRule(renewal.kind === 'renewed', `the adopter’s renewal returned '${renewal.kind}'`);
      const { kind } = await b.release(adopted.grant);
      assertRule(kind === 'released', `the adopter’s release returned '${kind}'`);
      await c.mustAcquire(key, stage.longMs, 'the adopter has released it');
    },
  },
  {
    name: 'an adoption takes neither a free key nor a hold that is not exactly the exported one',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.acquire(key, stage.longMs);
      const exported = a.exportOf(grant);
      const refuses = async (what: string, text = exported): Promise<void> => {
        const { kind } = await b.adopt(key, text, stage.longMs);
        assertRule(kind === 'refused', `an adoption of ${what} returned '${kind}'`);
      };

      await refuses('a value that only begins like the stored one', `${exported}x`);
      await a.release(grant);
      await refuses('a free key');
      const next = await a.mustAcquire(key, stage.longMs, 'no client holds the key');
      await refuses('the hold of a later holder');

      const { kind } = await a.renew(next, stage.longMs);
      assertRule(kind === 'renewed', `the later holder’s renewal returned '${kind}'`);
    },
  },
  {
    name: 'an adoption whose reply was lost is repeated by its adopter, and given up it frees the key',
    needs: needsFaults('loseReplies', 'restoreReplies'),
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const [key, other] = [stage.key(), stage.key()];
      const exported = a.exportOf(await a.acquire(key, stage.longMs));
      const repeating = b.adopter(key, exported, stage.shortMs);
      await attemptWithoutReply(stage, b, repeating, stage.shortMs);

      const outcome = await b.definiteAttempt(repeating);

      assertRule(outcome.kind === 'granted', `its next attempt returned '${outcome.kind}'`);
      await c.mustFindBusy(key, stage.longMs, `${b.name} has adopted the hold`);

      const short = a.exportOf(await a.acquire(other, stage.shortMs));
      const leaving = b.adopter(other, short, stage.shortMs);
      await attemptWithoutReply(stage, b, leaving, stage.shortMs);

      await comesFree(stage, b, c, other, await leaving.withdraw());
    },
  },
];
