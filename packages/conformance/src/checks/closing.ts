import { assertRule } from '../breach.ts';
import { needsFaults } from '../needs.ts';
import type { Check } from '../subject.ts';

const CLOSE_MS = 500;
/** Longer than any call takes. */
const SETTLE_MS = 5_000;

/** Closing a backend. */
export const closing: readonly Check[] = [
  {
    name: 'closing one process frees no key of another, and may be repeated',
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      await a.acquire(key, stage.longMs);
      const held = await b.acquire(stage.key(), stage.longMs);

      await b.release(held);
      await b.backend.close({ timeoutMs: CLOSE_MS });
      await b.backend.close({ timeoutMs: CLOSE_MS });

      await c.mustFindBusy(key, stage.longMs, 'only another process was closed');
    },
  },
  {
    name: 'closing with leavesHolds frees no hold before its validity ends, and the holds expire by themselves',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const { validity } = await a.acquire(key, stage.shortMs);

      await a.backend.close({ timeoutMs: CLOSE_MS, leavesHolds: true });
      await b.acquire(key, stage.longMs);

      const elapsedMs = a.runtime.elapsedMs(validity.from);
      assertRule(
        elapsedMs >= validity.ms,
        `the key was free ${elapsedMs} ms into a validity of ${validity.ms} ms`,
      );
    },
  },
  {
    name: 'after closing, an attempt settles, and is granted only if it really holds',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      await a.backend.close({ timeoutMs: CLOSE_MS });

      const attempt = (async (): Promise<string> => {
        const contender = a.contend(key, stage.longMs);
        return (await contender.attempt(Number.MAX_SAFE_INTEGER)).kind;
      })().catch(() => 'rejected');
      const outcome = await stage.within(SETTLE_MS, 'an attempt after closing', attempt);

      if (outcome === 'granted') await b.mustFindBusy(key, stage.longMs, 'it was granted');
      else assertRule(outcome !== 'busy', 'a free key was reported as busy');
    },
  },
  {
    name: 'closing settles within its limit, even if the store does not reply and a release is unknown',
    needs: needsFaults('stop', 'resume'),
    async run(stage) {
      const a = await stage.actor('a');
      const grant = await a.acquire(stage.key(), stage.shortMs);
      await stage.faults.stop?.();
      const releasing = grant.release();

      const ending = a.backend.close({ timeoutMs: CLOSE_MS });
      await stage.within(CLOSE_MS, 'closing with a limit of 500 ms', ending);
      await stage.within(SETTLE_MS, 'a release in flight', releasing);
      await stage.faults.resume?.();
    },
  },
];
