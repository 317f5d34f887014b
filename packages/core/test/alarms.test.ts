import { type Random, random, World } from '@holdfast/sim';
import { expect, test } from 'vitest';
import { Alarms } from '../src/alarms.ts';

function scene(awaited = false): {
  world: World;
  alarms: Alarms;
  nowMs: () => number;
  rung: string[];
  ring: (name: string) => () => void;
} {
  const world = new World();
  const { runtime, ...process } = world.process('p');
  void process;
  const startMs = runtime.now().monotonicMs;
  const rung: string[] = [];
  return {
    world,
    alarms: new Alarms(runtime, { awaited }),
    nowMs: () => startMs,
    rung,
    ring: (name) => () =>
      rung.push(`${name} at ${Math.round(runtime.now().monotonicMs - startMs)}`),
  };
}

test('alarms ring in the order of their times, those of one time in any order', async () => {
  const { world, alarms, nowMs, rung, ring } = scene();

  alarms.at(nowMs() + 30, ring('c'));
  alarms.at(nowMs() + 10, ring('a'));
  alarms.at(nowMs() + 20, ring('b'));
  await world.settle();

  expect(rung).toEqual(['a at 10', 'b at 20', 'c at 30']);
});

test('one that is cancelled does not ring, and cancelling twice takes away no other', async () => {
  const { world, alarms, nowMs, rung, ring } = scene();

  const cancel = alarms.at(nowMs() + 10, ring('a'));
  alarms.at(nowMs() + 20, ring('b'));
  cancel();
  cancel();
  await world.settle();

  expect(rung).toEqual(['b at 20']);
});

test('one may cancel another that is due at the same time', async () => {
  const { world, alarms, nowMs, rung, ring } = scene();

  const cancels = ['a', 'b'].map((name) =>
    alarms.at(nowMs() + 10, () => {
      ring(name)();
      for (const cancel of cancels) cancel();
    }),
  );
  await world.settle();

  expect(rung).toHaveLength(1);
});

test('one may set another, also for now', async () => {
  const { world, alarms, nowMs, rung, ring } = scene();

  alarms.at(nowMs() + 10, () => {
    alarms.at(nowMs() + 10, ring('now'));
    alarms.at(nowMs() + 15, ring('later'));
  });
  await world.settle();

  expect(rung).toEqual(['now at 10', 'later at 15']);
});

test('one that was due long ago rings at once', async () => {
  const { world, alarms, nowMs, rung, ring } = scene();

  alarms.at(nowMs() - 1_000, ring('a'));
  await world.settle();

  expect(rung).toEqual(['a at 0']);
});

test('10,000 alarms are one timer, and none when the last one is gone', async () => {
  const { world, alarms, nowMs } = scene();

  const cancels = Array.from({ length: 10_000 }, (_, i) =>
    alarms.at(nowMs() + 50 + (i % 97), () => {}),
  );
  expect(world.pendingTimers()).toBe(1);
  expect(world.awaitedTimers()).toBe(0);
  for (const cancel of cancels) cancel();
  expect(world.pendingTimers()).toBe(0);
});

test('those that somebody waits for keep the process alive', () => {
  const { world, alarms, nowMs } = scene(true);

  const cancel = alarms.at(nowMs() + 50, () => {});
  expect(world.awaitedTimers()).toBe(1);
  cancel();
});

test('whatever is set and cancelled, exactly the rest rings, each at its time', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const draw: Random = random(seed);
    const { world, alarms, nowMs, rung, ring } = scene();
    const due: { name: string; ms: number }[] = [];
    for (let i = 0; i < 200; i++) {
      const alarm = { name: `${i}`, ms: draw.below(100) };
      const cancel = alarms.at(nowMs() + alarm.ms, ring(alarm.name));
      if (draw.below(3) === 0) cancel();
      else due.push(alarm);
    }
    await world.settle();

    const wanted = due.map(({ name, ms }) => `${name} at ${ms}`);
    expect(rung.toSorted(), `seed ${seed}`).toEqual(wanted.toSorted());
    expect(world.pendingTimers()).toBe(0);
  }
});

test('one that comes before all others takes the place of their timer', () => {
  const { world, alarms, nowMs } = scene();

  alarms.at(nowMs() + 30, () => {});
  alarms.at(nowMs() + 10, () => {});

  expect(world.pendingTimers()).toBe(1);
});

test('one that is taken out from among many delays none of the others', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const draw: Random = random(seed);
    const { world, alarms, nowMs, rung, ring } = scene();
    const due = Array.from({ length: 60 }, (_, i) => ({ name: `${i}`, ms: draw.below(1_000) }));
    const cancels = due.map(({ name, ms }) => alarms.at(nowMs() + ms, ring(name)));
    const kept = due.filter((_, i) => {
      const isKept = draw.below(3) > 0;
      if (!isKept) cancels[i]?.();
      return isKept;
    });
    await world.settle();

    const wanted = kept.map(({ name, ms }) => `${name} at ${ms}`);
    expect(rung.toSorted(), `seed ${seed}`).toEqual(wanted.toSorted());
  }
});
