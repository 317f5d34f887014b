import { assertRule } from '../breach.ts';
import type { Check } from '../subject.ts';

const CROWD = 4;

/** At most one client holds a key, and keys are independent. */
export const exclusion: readonly Check[] = [
  {
    name: 'a free key is granted; to all other contenders, in this or another process, it is busy',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();

      await a.mustAcquire(key, stage.longMs, 'the key is free');

      await a.mustFindBusy(key, stage.longMs, 'its own process holds the key');
      await b.mustFindBusy(key, stage.longMs, 'another process holds the key');
    },
  },
  {
    name: 'of many concurrent contenders at most one is granted the key, which is then held',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const crowd = [a, b].flatMap((actor) =>
        Array.from({ length: CROWD }, () => actor.tryAcquire(key, stage.longMs)),
      );

      const granted = (await Promise.all(crowd)).filter(({ kind }) => kind === 'granted');

      assertRule(granted.length <= 1, `${granted.length} were granted the same key at once`);
      if (granted.length === 1)
        await b.mustFindBusy(key, stage.longMs, 'one of them holds the key');
    },
  },
  {
    name: 'keys do not block each other, and releasing one leaves the other held',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const [one, other] = [stage.key(), stage.key()];

      const grant = await a.mustAcquire(one, stage.longMs, 'the key is free');
      await b.mustAcquire(other, stage.longMs, 'only another key is held');
      await a.release(grant);

      await a.mustFindBusy(other, stage.longMs, 'only another key was released');
    },
  },
  {
    name: 'two grants of a key have two owner values',
    needs: ({ capabilities }) =>
      capabilities.timeAuthority === 'client'
        ? 'where client clocks decide, a stamp may be the owner value, and two clients may write equal ones'
        : undefined,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();

      const first = await a.acquire(key, stage.longMs);
      await a.release(first);
      const second = await b.acquire(key, stage.longMs);

      assertRule(first.owner !== '', 'a grant has an empty owner value');
      assertRule(first.owner !== second.owner, `two grants share the owner value ${first.owner}`);
    },
  },
];
