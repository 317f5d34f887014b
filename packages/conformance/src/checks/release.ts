import { assertRule } from '../breach.ts';
import type { Check } from '../subject.ts';

/** Releasing a key. */
export const release: readonly Check[] = [
  {
    name: 'a released key is free at once, for its old holder and for others',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const first = await a.acquire(key, stage.longMs);

      const outcome = await a.release(first);
      assertRule(outcome.kind === 'released', `the release returned '${outcome.kind}'`);
      const second = await b.mustAcquire(key, stage.longMs, 'the key was released');
      await b.release(second);

      await a.mustAcquire(key, stage.longMs, 'the key was released again');
    },
  },
  {
    name: 'a second release is not-held, and does not affect the next holder',
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const first = await a.acquire(key, stage.longMs);
      await a.release(first);
      await b.mustAcquire(key, stage.longMs, 'the key was released');

      const again = await a.release(first);

      assertRule(again.kind === 'not-held', `the second release returned '${again.kind}'`);
      await c.mustFindBusy(key, stage.longMs, 'only its former holder released a second time');
    },
  },
];
