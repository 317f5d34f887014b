import { type Random, random, type SimProcess, World } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { DeadlineHeap } from '../src/deadline-heap.ts';

function scene(awaited = false): {
  world: World;
  heap: DeadlineHeap;
  nowMs: () => number;
  fired: string[];
  record: (name: string) => () => void;
} {
  const world = new World();
  const { runtime, ...process } = world.process('p');
  void process;
  const startMs = runtime.now().monotonicMs;
  const fired: string[] = [];
  return {
    world,
    heap: new DeadlineHeap(runtime, { awaited }),
    nowMs: () => startMs,
    fired,
    record: (name) => () =>
      fired.push(`${name} at ${Math.round(runtime.now().monotonicMs - startMs)}`),
  };
}

test('deadlines fire in the order of their times, those of one time in any order', async () => {
  const { world, heap, nowMs, fired, record } = scene();

  heap.at(nowMs() + 30, record('c'));
  heap.at(nowMs() + 10, record('a'));
  heap.at(nowMs() + 20, record('b'));
  await world.settle();

  expect(fired).toEqual(['a at 10', 'b at 20', 'c at 30']);
});

test('a cancelled deadline does not fire, and cancelling it twice removes no other', async () => {
  const { world, heap, nowMs, fired, record } = scene();

  const cancel = heap.at(nowMs() + 10, record('a'));
  heap.at(nowMs() + 20, record('b'));
  cancel();
  cancel();
  await world.settle();

  expect(fired).toEqual(['b at 20']);
});

test('a deadline may cancel another that is due at that time', async () => {
  const { world, heap, nowMs, fired, record } = scene();

  const cancels = ['a', 'b'].map((name) =>
    heap.at(nowMs() + 10, () => {
      record(name)();
      for (const cancel of cancels) cancel();
    }),
  );
  await world.settle();

  expect(fired).toHaveLength(1);
});

test('a deadline may set another, also for now', async () => {
  const { world, heap, nowMs, fired, record } = scene();

  heap.at(nowMs() + 10, () => {
    heap.at(nowMs() + 10, record('now'));
    heap.at(nowMs() + 15, record('later'));
  });
  await world.settle();

  expect(fired).toEqual(['now at 10', 'later at 15']);
});

test('a deadline in the past fires at once', async () => {
  const { world, heap, nowMs, fired, record } = scene();

  heap.at(nowMs() - 1_000, record('a'));
  await world.settle();

  expect(fired).toEqual(['a at 0']);
});

test('10,000 deadlines are one timer, and no timer remains after the last one', async () => {
  const { world, heap, nowMs } = scene();

  const cancels = Array.from({ length: 10_000 }, (_, i) =>
    heap.at(nowMs() + 50 + (i % 97), () => {}),
  );
  expect(world.pendingTimers()).toBe(1);
  expect(world.awaitedTimers()).toBe(0);
  for (const cancel of cancels) cancel();
  expect(world.pendingTimers()).toBe(0);
});

test('awaited deadlines keep the process alive', () => {
  const { world, heap, nowMs } = scene(true);

  const cancel = heap.at(nowMs() + 50, () => {});
  expect(world.awaitedTimers()).toBe(1);
  cancel();
});

test('after any sets and cancels exactly the remaining deadlines fire, each at its time', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const draw: Random = random(seed);
    const { world, heap, nowMs, fired, record } = scene();
    const due: { name: string; ms: number }[] = [];
    for (let i = 0; i < 200; i++) {
      const alarm = { name: `${i}`, ms: draw.below(100) };
      const cancel = heap.at(nowMs() + alarm.ms, record(alarm.name));
      if (draw.below(3) === 0) cancel();
      else due.push(alarm);
    }
    await world.settle();

    const wanted = due.map(({ name, ms }) => `${name} at ${ms}`);
    expect(fired.toSorted(), `seed ${seed}`).toEqual(wanted.toSorted());
    expect(world.pendingTimers()).toBe(0);
  }
});

test('a deadline before all others replaces their timer', () => {
  const { world, heap, nowMs } = scene();

  heap.at(nowMs() + 30, () => {});
  heap.at(nowMs() + 10, () => {});

  expect(world.pendingTimers()).toBe(1);
});

test('a deadline removed from among many delays none of the others', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const draw: Random = random(seed);
    const { world, heap, nowMs, fired, record } = scene();
    const due = Array.from({ length: 60 }, (_, i) => ({ name: `${i}`, ms: draw.below(1_000) }));
    const cancels = due.map(({ name, ms }) => heap.at(nowMs() + ms, record(name)));
    const kept = due.filter((_, i) => {
      const isKept = draw.below(3) > 0;
      if (!isKept) cancels[i]?.();
      return isKept;
    });
    await world.settle();

    const wanted = kept.map(({ name, ms }) => `${name} at ${ms}`);
    expect(fired.toSorted(), `seed ${seed}`).toEqual(wanted.toSorted());
  }
});

/** Alarms that look again whether they are due, as leases do. */
function watching(): {
  world: World;
  process: SimProcess;
  heap: DeadlineHeap;
  fired: string[];
  set: (name: string, inMs: number) => void;
} {
  const world = new World();
  const process = world.process('p');
  const heap = new DeadlineHeap(process.runtime, { awaited: false, watchesWall: true });
  const fired: string[] = [];
  const set = (name: string, inMs: number): void => {
    const from = process.runtime.now();
    const look = (): void => {
      const leftMs = inMs - process.runtime.elapsedMs(from);
      if (leftMs > 0) heap.at(process.runtime.now().monotonicMs + leftMs, look);
      else fired.push(`${name} at ${process.nowMs}`);
    };
    look();
  };
  return { world, process, heap, fired, set };
}

test('deadlines that watch the wall clock fire within a second after it has run ahead, and others wait', async () => {
  const { world, process, fired, set } = watching();
  set('short', 60_000);
  set('long', 7_200_000);

  await world.run(async () => {
    await process.sleep(10_500);
    process.jumpWall(3_600_000);
    await process.sleep(3_700_000);
  });
  await world.settle();

  expect(fired).toEqual(['short at 11000', 'long at 3600000']);
});

test('a wall clock that was set back and then ahead again is detected, too', async () => {
  const { world, process, fired, set } = watching();
  set('old', 60_000);

  await world.run(async () => {
    process.jumpWall(-3_600_000);
    await process.sleep(1_500);
    set('new', 60_000);
    await process.sleep(2_000);
    process.jumpWall(3_600_000);
    await process.sleep(1_001);
    expect(fired).toEqual(['new at 4000']);
  });
});

test('a wall clock that ran ahead by more than ten milliseconds is detected, and by less is not', async () => {
  const { world, process, heap } = watching();
  const fired: number[] = [];
  heap.at(process.runtime.now().monotonicMs + 60_000, () => fired.push(process.nowMs));

  await world.run(async () => {
    process.jumpWall(9);
    await process.sleep(1_500);
    expect(fired).toEqual([]);
    process.jumpWall(3);
    await process.sleep(1_000);
    expect(fired).toEqual([2_000]);
  });
});

test('a wall clock that ran ahead by ten milliseconds is not detected', async () => {
  const { world, process, heap } = watching();
  const fired: number[] = [];
  heap.at(process.runtime.now().monotonicMs + 60_000, () => fired.push(process.nowMs));

  await world.run(async () => {
    process.jumpWall(10);
    await process.sleep(2_500);

    expect(fired).toEqual([]);
  });
});

test('a wall clock that ran ahead once fires every deadline once', async () => {
  const { world, process, heap } = watching();
  const fired: number[] = [];
  const set = (): void => {
    heap.at(process.runtime.now().monotonicMs + 60_000, () => {
      fired.push(process.nowMs);
      set();
    });
  };
  set();
  set();

  await world.run(async () => {
    process.jumpWall(3_600_000);
    await process.sleep(5_000);

    expect(fired).toEqual([1_000, 1_000]);
  });
});

test('a wall clock that ran ahead while no deadline was set fires none of the next ones', async () => {
  const { world, process, heap } = watching();
  const fired: string[] = [];
  heap.at(process.runtime.now().monotonicMs + 10, () => fired.push('first'));

  await world.run(async () => {
    await process.sleep(20);
    process.jumpWall(3_600_000);
    heap.at(process.runtime.now().monotonicMs + 5_000, () => fired.push('next'));
    await process.sleep(4_000);
    expect(fired).toEqual(['first']);
  });
});

test('watching the wall clock costs one timer a second, and none after the last deadline', async () => {
  const { world, process, heap } = watching();
  let timers = 0;
  const timer = process.runtime.timer.bind(process.runtime);
  process.runtime.timer = (ms, run, options) => {
    timers += 1;
    return timer(ms, run, options);
  };
  const startMs = process.runtime.now().monotonicMs;
  const cancels = Array.from({ length: 1_000 }, (_, i) => heap.at(startMs + 100_000 + i, () => {}));

  await world.run(() => process.sleep(10_500));
  expect(timers).toBe(11);
  for (const cancel of cancels) cancel();
  expect(world.pendingTimers()).toBe(0);
});

function counted(): {
  world: World;
  heap: DeadlineHeap;
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
  const heap = new DeadlineHeap(process.runtime, { awaited: false });
  return { world, process, heap, nowMs, timers: () => timers };
}

describe('a deadline', () => {
  test('that becomes the first creates no timer if an earlier timer is armed', () => {
    const { heap, nowMs, timers } = counted();
    const cancel = heap.at(nowMs + 10, () => undefined);
    heap.at(nowMs + 30, () => undefined);
    cancel();
    heap.at(nowMs + 20, () => undefined);

    expect(timers()).toBe(1);
  });

  test('fires after all earlier deadlines, even if the timer is late', async () => {
    const { world, process, heap, nowMs } = counted();
    const fired: number[] = [];
    for (const ms of [50, 10, 40, 20, 30, 25]) heap.at(nowMs + ms, () => fired.push(ms));

    await world.run(async () => process.block(100));
    await world.settle();

    expect(fired).toEqual([10, 20, 25, 30, 40, 50]);
  });
});
