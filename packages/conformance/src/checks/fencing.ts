import { assertRule, textOf } from '../breach.ts';
import { needsOutlive } from '../needs.ts';
import type { Check } from '../subject.ts';

/** Fencing tokens exist exactly if they are promised. */
export const fencing: readonly Check[] = [
  {
    name: 'fencing tokens grow with every grant of a key, for any holder and any end of the last hold',
    needs: ({ capabilities }) =>
      capabilities.fencing === 'none' ? 'it promises no fencing' : undefined,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();

      const first = await a.acquire(key, stage.longMs);
      await a.release(first);
      const second = await b.acquire(key, stage.longMs);
      await b.release(second);
      const third = await b.acquire(key, stage.shortMs);
      // Without sessions it expires by itself, and the next client waits for that.
      if (stage.subject.capabilities.lease === 'session') await b.release(third);
      const fourth = await a.acquire(key, stage.longMs);

      const tokens = [first, second, third, fourth].map(({ fencingToken }) => fencingToken);
      assertRule(
        tokens.every((token) => typeof token === 'bigint'),
        `a grant has no fencing token: ${textOf(tokens)}`,
      );
      assertRule(
        tokens.every((token, i) => i === 0 || token > (tokens[i - 1] ?? token)),
        `tokens in the order of their grants: ${textOf(tokens)}`,
      );
    },
  },
  {
    name: 'a new holder’s fencing token is larger than that of the holder whose lease expired',
    needs: (subject) =>
      subject.capabilities.fencing === 'none' ? 'it promises no fencing' : needsOutlive(subject),
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const { fencingToken: first = 0n } = await a.acquire(key, stage.shortMs);
      await stage.outlive(a);

      const { fencingToken: second = 0n } = await b.acquire(key, stage.longMs);

      assertRule(second > first, `token ${textOf(first)} was followed by ${textOf(second)}`);
    },
  },
  {
    name: 'a backend that promises no fencing hands out no token',
    needs: ({ capabilities }) =>
      capabilities.fencing === 'none' ? undefined : 'it promises fencing',
    async run(stage) {
      const a = await stage.actor('a');

      const { fencingToken } = await a.acquire(stage.key(), stage.longMs);

      assertRule(
        fencingToken === undefined,
        `a grant has the fencing token ${textOf(fencingToken)}`,
      );
    },
  },
];
