import { expect, test } from 'vitest';
import { Recorder, World } from '../../src/simulator/index.ts';

test('a hold is recorded from acquire to released, on true time', async () => {
  const world = new World();
  const recorder = new Recorder(world);
  const a = world.process('a', { wallOffsetMs: -3_600_000 });

  await world.run(async () => {
    const hold = recorder.acquire(a, 'k');
    const from = a.runtime.now();
    await a.sleep(10);
    recorder.granted(hold, { validity: { from, ms: 100 } }, 7n);
    recorder.enter(hold);
    await a.sleep(10);
    recorder.exit(hold);
    recorder.release(hold);
    await a.sleep(10);
    recorder.released(hold, 'released');
  });

  const recorded = recorder.history().map(({ atMs, type }) => `${atMs} ${type}`);
  expect(recorded).toEqual([
    '0 acquire',
    '10 granted',
    '10 enter',
    '20 exit',
    '20 release',
    '30 released',
  ]);
  expect(recorder.history()[1]).toEqual({
    seq: 1,
    atMs: 10,
    client: 'a',
    key: 'k',
    hold: 'a/1',
    type: 'granted',
    validUntilMs: 100,
    token: '7',
  });
});

test('remaining time counts from the moment it was read, on the clocks of its process', async () => {
  const world = new World();
  const recorder = new Recorder(world);
  const fast = world.process('fast', { driftPpm: 1_000_000 });

  await world.advance(50);
  recorder.granted(recorder.acquire(fast, 'k'), { remainingMs: 100 });

  expect(recorder.history()[1]).toMatchObject({ atMs: 50, validUntilMs: 100 });
});

test('a clock that jumps later moves the end of validity', async () => {
  const world = new World();
  const recorder = new Recorder(world);
  const a = world.process('a');
  recorder.granted(recorder.acquire(a, 'k'), { remainingMs: 100 });

  await world.advance(40);
  a.jumpWall(1_000);

  expect(recorder.history()[1]).toMatchObject({ validUntilMs: 40 });
});

test('events after a stall are recorded at the time after the stall, behind other events meanwhile', async () => {
  const world = new World();
  const recorder = new Recorder(world);
  const [a, b] = [world.process('a'), world.process('b')];
  a.stallBefore('now', 1, 100);
  world.at(50, () => void recorder.acquire(b, 'k'));

  await world.run(() => {
    a.runtime.now();
    recorder.acquire(a, 'k');
  });
  await world.settle();

  const recorded = recorder.history().map(({ seq, atMs, client }) => `${seq} ${atMs} ${client}`);
  expect(recorded).toEqual(['0 50 b', '1 100 a']);
});

test('of a dead process only its death is recorded, and the writes it had sent', async () => {
  const world = new World();
  const recorder = new Recorder(world);
  const a = world.process('a');
  const hold = recorder.acquire(a, 'k');

  await world.advance(10);
  recorder.crashed(a);
  a.crash();
  recorder.granted(hold, { remainingMs: 100 });
  await world.advance(5);
  recorder.write(hold, { resource: 'r', accepted: true, fenced: false });

  expect(recorder.history().map(({ type }) => type)).toEqual(['acquire', 'crashed', 'write']);
});

test('a write is recorded at the time of the resource, which is not paused with its writer', () => {
  const world = new World();
  const recorder = new Recorder(world);
  const a = world.process('a');
  const hold = recorder.acquire(a, 'k');

  a.block(100);
  recorder.write(hold, { resource: 'r', accepted: true, fenced: true, token: 9n, value: 1 });

  expect(recorder.history()[1]).toMatchObject({ type: 'write', atMs: 0, token: '9', value: 1 });
});

test('a process that dies while it is stalled never took the steps after the stall', async () => {
  const world = new World();
  const recorder = new Recorder(world);
  const a = world.process('a');
  a.stallBefore('now', 1, 100);
  world.at(50, () => {
    recorder.crashed(a);
    a.crash();
  });

  const hold = recorder.acquire(a, 'k');
  a.runtime.now();
  recorder.granted(hold, { remainingMs: 100 });
  await world.settle();

  expect(recorder.history().map(({ type }) => type)).toEqual(['acquire', 'crashed']);
});

test('a claim within the known validity adds nothing; one beyond it is recorded as a renewal', async () => {
  const world = new World();
  const recorder = new Recorder(world);
  const a = world.process('a');
  const hold = recorder.acquire(a, 'k');
  recorder.granted(hold, { remainingMs: 100 });

  await world.advance(99);
  recorder.claimed(hold);
  expect(recorder.history()).toHaveLength(2);
  await world.advance(101);
  recorder.claimed(hold);

  expect(recorder.history()[2]).toMatchObject({
    type: 'renewed',
    atMs: 200,
    validUntilMs: 200.001,
  });
});
