import { expect, test } from 'vitest';
import { World } from '../../src/simulator/index.ts';

test('two processes never share a monotonic clock, and by default share the wall clock', () => {
  const world = new World();

  const [a, b] = [world.process('a').runtime.now(), world.process('b').runtime.now()];

  expect(a.monotonicMs).not.toBe(b.monotonicMs);
  expect(a.wallMs).toBe(b.wallMs);
});

test('a fast clock shows more time than has passed, and its timers come early', async () => {
  const world = new World();
  const fast = world.process('fast', { driftPpm: 100_000 });
  const slow = world.process('slow', { driftPpm: -100_000 });
  const [fastStart, slowStart] = [fast.runtime.now(), slow.runtime.now()];

  await world.run(() => fast.sleep(1_100));
  expect(world.nowMs).toBe(1_000);
  expect(fast.runtime.elapsedMs(fastStart)).toBe(1_100);
  expect(slow.runtime.elapsedMs(slowStart)).toBe(900);
});

test('a timer never fires before its own clock says so, whatever the drift', async () => {
  for (const driftPpm of [-333_333, -777, -1, 1, 3, 500, 99_999]) {
    const world = new World();
    const a = world.process('a', { driftPpm });
    const start = a.runtime.now();

    await world.run(() => a.sleep(1_234.567));

    const elapsedMs = a.runtime.elapsedMs(start);
    expect(elapsedMs).toBeGreaterThanOrEqual(1_234.567);
    expect(elapsedMs).toBeLessThan(1_234.57);
  }
});

test('when a clock changes its pace, timers that run already follow', async () => {
  const world = new World();
  const a = world.process('a');
  const firedMs: number[] = [];
  a.runtime.timer(1_000, () => firedMs.push(world.nowMs));
  world.at(500, () => a.setDrift(1_000_000));

  await world.run(() => a.sleep(1_000));

  expect(world.nowMs).toBe(750);
  expect(firedMs).toEqual([750]);
});

test('a jump moves the wall clock alone; elapsed time is the larger of both, and never negative', async () => {
  const world = new World();
  const a = world.process('a');
  const start = a.runtime.now();
  await world.advance(100);

  a.jumpWall(1_000);
  expect(a.runtime.elapsedMs(start)).toBe(1_100);
  expect(a.runtime.now().monotonicMs - start.monotonicMs).toBe(100);
  a.jumpWall(-5_000);
  expect(a.runtime.elapsedMs(start)).toBe(100);
  expect(a.runtime.elapsedMs({ monotonicMs: 9e9, wallMs: 9e12 })).toBe(0);
});

test('while a machine sleeps its monotonic clock and timers stop, and its wall clock runs', async () => {
  const world = new World();
  const a = world.process('a');
  const start = a.runtime.now();
  world.at(100, () => a.suspend(5_000));

  await world.run(() => a.sleep(1_000));

  expect(world.nowMs).toBe(6_000);
  expect(a.runtime.now().monotonicMs - start.monotonicMs).toBe(1_000);
  expect(a.runtime.elapsedMs(start)).toBe(6_000);
});

test('a jump or a change of pace during a sleep is kept when the machine wakes', async () => {
  const world = new World();
  const a = world.process('a');
  const start = a.runtime.now();
  world.at(100, () => a.suspend(1_000));
  world.at(500, () => a.jumpWall(7_000));
  world.at(600, () => a.setDrift(1_000_000));

  await world.advance(1_200);
  const now = a.runtime.now();

  // Wall: 600 at rate 1, then 600 at rate 2, and the jump. Monotonic: 100 before the sleep, 100 at rate 2 after it.
  expect(now.wallMs - start.wallMs).toBe(600 + 1_200 + 7_000);
  expect(now.monotonicMs - start.monotonicMs).toBe(100 + 200);
});

test('validity ends, on true time, when either clock shows it', async () => {
  const world = new World();
  const [steady, fast, jumping, back] = [
    world.process('steady'),
    world.process('fast', { driftPpm: 1_000_000 }),
    world.process('jumping'),
    world.process('back'),
  ];
  const validity = [steady, fast, jumping, back].map((process) => ({
    from: process.runtime.now(),
    ms: 1_000,
  }));
  world.at(300, () => jumping.jumpWall(5_000));
  world.at(300, () => back.jumpWall(-5_000));
  await world.advance(2_000);

  const ends = [steady, fast, jumping, back].map((process, i) => process.times.endOf(validity[i]!));

  expect(ends).toEqual([1_000, 500, 300, 1_000]);
});

test('a sleep of no length leaves the monotonic clock running', async () => {
  const world = new World();
  const process = world.process('p');
  const start = process.runtime.now();

  process.suspend(0);
  await world.advance(100);

  expect(process.runtime.now().monotonicMs - start.monotonicMs).toBe(100);
});
