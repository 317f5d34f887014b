import { assertRule } from '../breach.ts';
import type { Check } from '../subject.ts';

const CROWD = 4;

/** At most one holds a key, whoever asks, and keys do not know each other. */
export const exclusion: readonly Check[] = [
  {
    name: 'a free key is granted; whoever else asks, here or in another process, is told that it is busy',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();

      await a.getsAtOnce(key, stage.longMs, 'the key is free');

      await a.isToldBusy(key, stage.longMs, 'its own process holds the key');
      await b.isToldBusy(key, stage.longMs, 'another process holds the key');
    },
  },
  {
    name: 'of many that ask at once one at most is granted, and then the key is held',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const crowd = [a, b].flatMap((actor) =>
        Array.from({ length: CROWD }, () => actor.ask(key, stage.longMs)),
      );

      const granted = (await Promise.all(crowd)).filter(({ kind }) => kind === 'granted');

      assertRule(granted.length <= 1, `${granted.length} were granted the same key at once`);
      if (granted.length === 1) await b.isToldBusy(key, stage.longMs, 'one of them holds the key');
    },
  },
  {
    name: 'keys do not stand in each other’s way, and releasing one leaves the other held',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const [one, other] = [stage.key(), stage.key()];

      const grant = await a.getsAtOnce(one, stage.longMs, 'the key is free');
      await b.getsAtOnce(other, stage.longMs, 'only another key is held');
      await a.release(grant);

      await a.isToldBusy(other, stage.longMs, 'only another key was released');
    },
  },
  {
    name: 'what stands for a grant is its own: two grants of a key have two owner values',
    needs: ({ capabilities }) =>
      capabilities.timeAuthority === 'client'
        ? 'where client clocks decide, a stamp may stand for a grant, and two clients may write the same'
        : undefined,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();

      const first = await a.take(key, stage.longMs);
      await a.release(first);
      const second = await b.take(key, stage.longMs);

      assertRule(first.owner !== '', 'a grant has an empty owner value');
      assertRule(first.owner !== second.owner, `two grants share the owner value ${first.owner}`);
    },
  },
];
