import { assertRule } from '../breach.ts';
import type { Check } from '../subject.ts';

/** Giving a key back. */
export const release: readonly Check[] = [
  {
    name: 'a released key is free at once, for the process that held it and for others',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const first = await a.take(key, stage.longMs);

      const outcome = await a.release(first);
      assertRule(outcome.kind === 'released', `the release was answered '${outcome.kind}'`);
      const second = await b.getsAtOnce(key, stage.longMs, 'the key was released');
      await b.release(second);

      await a.getsAtOnce(key, stage.longMs, 'the key was released again');
    },
  },
  {
    name: 'a second release is told that it holds nothing, and takes nothing from the next holder',
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const first = await a.take(key, stage.longMs);
      await a.release(first);
      await b.getsAtOnce(key, stage.longMs, 'the key was released');

      const again = await a.release(first);

      assertRule(again.kind === 'not-held', `the second release was answered '${again.kind}'`);
      await c.isToldBusy(key, stage.longMs, 'only its former holder released a second time');
    },
  },
];
