import { type Random, random, type SimProcess, World } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { DeadlineHeap } from '../src/deadline-heap.ts';

function scene(awaited = false): {
  world: World;
  alarms: DeadlineHeap;
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
    alarms: new DeadlineHeap(runtime, { awaited }),
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

/** Alarms that look again whether they are due, as leases do. */
function watching(): {
  world: World;
  process: SimProcess;
  alarms: DeadlineHeap;
  rung: string[];
  set: (name: string, inMs: number) => void;
} {
  const world = new World();
  const process = world.process('p');
  const alarms = new DeadlineHeap(process.runtime, { awaited: false, watchesWall: true });
  const rung: string[] = [];
  const set = (name: string, inMs: number): void => {
    const from = process.runtime.now();
    const look = (): void => {
      const leftMs = inMs - process.runtime.elapsedMs(from);
      if (leftMs > 0) alarms.at(process.runtime.now().monotonicMs + leftMs, look);
      else rung.push(`${name} at ${process.nowMs}`);
    };
    look();
  };
  return { world, process, alarms, rung, set };
}

test('those that watch the wall clock ring within a second after it has run ahead, and others go on', async () => {
  const { world, process, rung, set } = watching();
  set('short', 60_000);
  set('long', 7_200_000);

  await world.run(async () => {
    await process.sleep(10_500);
    process.jumpWall(3_600_000);
    await process.sleep(3_700_000);
  });
  await world.settle();

  expect(rung).toEqual(['short at 11000', 'long at 3600000']);
});

test('a wall clock that was set back and then ahead again is noticed too', async () => {
  const { world, process, rung, set } = watching();
  set('old', 60_000);

  await world.run(async () => {
    process.jumpWall(-3_600_000);
    await process.sleep(1_500);
    set('new', 60_000);
    await process.sleep(2_000);
    process.jumpWall(3_600_000);
    await process.sleep(1_001);
    expect(rung).toEqual(['new at 4000']);
  });
});

test('a wall clock that ran ahead by more than ten milliseconds is noticed, and by less is not', async () => {
  const { world, process, alarms } = watching();
  const rung: number[] = [];
  alarms.at(process.runtime.now().monotonicMs + 60_000, () => rung.push(process.nowMs));

  await world.run(async () => {
    process.jumpWall(9);
    await process.sleep(1_500);
    expect(rung).toEqual([]);
    process.jumpWall(3);
    await process.sleep(1_000);
    expect(rung).toEqual([2_000]);
  });
});

test('a wall clock that ran ahead while no alarm was set rings none of the next ones', async () => {
  const { world, process, alarms } = watching();
  const rung: string[] = [];
  alarms.at(process.runtime.now().monotonicMs + 10, () => rung.push('first'));

  await world.run(async () => {
    await process.sleep(20);
    process.jumpWall(3_600_000);
    alarms.at(process.runtime.now().monotonicMs + 5_000, () => rung.push('next'));
    await process.sleep(4_000);
    expect(rung).toEqual(['first']);
  });
});

test('watching the wall clock costs one timer a second, and none when the last alarm is gone', async () => {
  const { world, process, alarms } = watching();
  let timers = 0;
  const timer = process.runtime.timer.bind(process.runtime);
  process.runtime.timer = (ms, run, options) => {
    timers += 1;
    return timer(ms, run, options);
  };
  const startMs = process.runtime.now().monotonicMs;
  const cancels = Array.from({ length: 1_000 }, (_, i) =>
    alarms.at(startMs + 100_000 + i, () => {}),
  );

  await world.run(() => process.sleep(10_500));
  expect(timers).toBe(11);
  for (const cancel of cancels) cancel();
  expect(world.pendingTimers()).toBe(0);
});

function counted(): {
  world: World;
  alarms: DeadlineHeap;
  nowMs: number;
  timers: () => number;
  process: SimProcess;
} {
  const world = new World();
  const process = world.process('p');
  let timers = 0;
  const timer = process.runtime.timer.bind(process.runtime);
  process.runtime.timer = (ms, run, options) => {
    timers += 1;
    return timer(ms, run, options);
  };
  const nowMs = process.runtime.now().monotonicMs;
  const alarms = new DeadlineHeap(process.runtime, { awaited: false });
  return { world, process, alarms, nowMs, timers: () => timers };
}

describe('an alarm', () => {
  test('that becomes the first makes no timer where an earlier one is armed', () => {
    const { alarms, nowMs, timers } = counted();
    const cancel = alarms.at(nowMs + 10, () => undefined);
    alarms.at(nowMs + 30, () => undefined);
    cancel();
    alarms.at(nowMs + 20, () => undefined);

    expect(timers()).toBe(1);
  });

  test('rings after all that were due before it, however late the timer is', async () => {
    const { world, process, alarms, nowMs } = counted();
    const rung: number[] = [];
    for (const ms of [50, 10, 40, 20, 30, 25]) alarms.at(nowMs + ms, () => rung.push(ms));

    await world.run(async () => process.block(100));
    await world.settle();

    expect(rung).toEqual([10, 20, 25, 30, 40, 50]);
  });
});
