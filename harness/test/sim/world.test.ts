import { expect, test } from 'vitest';
import {
  channelDriver,
  immediateDriver,
  SimLimitError,
  type SimProcess,
  SimStuckError,
  SimUnhandledError,
  World,
} from '../../src/simulator/index.ts';

test('time passes only as far as main needs', async () => {
  const world = new World();
  const a = world.process('a');
  void a.sleep(60_000);

  await world.run(() => a.sleep(5_000));

  expect(world.nowMs).toBe(5_000);
});

test('run passes on the result of main, and its errors, at once or later', async () => {
  const world = new World();
  const a = world.process('a');
  const error = new Error('mine');

  expect(await world.run(() => 42)).toBe(42);
  await expect(
    world.run(() => {
      throw error;
    }),
  ).rejects.toBe(error);
  await expect(
    world.run(async () => {
      await a.sleep(1);
      throw error;
    }),
  ).rejects.toBe(error);
});

test('a main that waits for an event that never comes is stuck, not hanging', async () => {
  const world = new World();

  await expect(world.run(() => new Promise(() => {}))).rejects.toBeInstanceOf(SimStuckError);
});

test('a main is stuck, too, when the last event woke no code', async () => {
  const world = new World();
  const a = world.process('a');

  const run = world.run(() => a.call('SET', () => a.crash()));

  await expect(run).rejects.toBeInstanceOf(SimStuckError);
});

test('endless polling runs into the limit of events', async () => {
  const world = new World({ maxEvents: 1_000 });
  const a = world.process('a');
  const poll = async (): Promise<void> => {
    for (;;) await a.sleep(0);
  };

  await expect(world.run(poll)).rejects.toBeInstanceOf(SimLimitError);
});

test('waiting for longer than the limit of time is refused', async () => {
  const world = new World({ maxVirtualMs: 1_000 });
  const a = world.process('a');

  await expect(world.run(() => a.sleep(1_001))).rejects.toBeInstanceOf(SimLimitError);
});

test('an unhandled rejection fails the run, at the moment it happens', async () => {
  const world = new World();
  const a = world.process('a');
  const fail = async (): Promise<void> => {
    await a.sleep(5);
    throw new Error('forgotten');
  };

  const run = world.run(async () => {
    void fail();
    await a.sleep(50);
  });

  await expect(run).rejects.toBeInstanceOf(SimUnhandledError);
  expect(world.nowMs).toBe(5);
});

test('of two worlds on one thread only the one whose code forgot a rejection fails', async () => {
  const [good, bad] = [new World(), new World()];
  const [a, b] = [good.process('a'), bad.process('b')];
  const fail = async (): Promise<void> => {
    await b.sleep(50);
    throw new Error('forgotten');
  };

  const outcomes = await Promise.allSettled([
    good.run(() => ticks(a)),
    bad.run(async () => {
      void fail();
      await ticks(b);
    }),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('an error of a timer or of the harness fails the run', async () => {
  const world = new World();
  const a = world.process('a');
  a.runtime.timer(5, () => {
    throw new Error('by a timer');
  });
  world.at(10, () => {
    throw new Error('by the harness');
  });

  await expect(world.settle()).rejects.toThrow('by a timer');
  await expect(world.settle()).rejects.toThrow('by the harness');
});

test('the listeners for unhandled rejections are put back after a run', async () => {
  process.on('unhandledRejection', ofSomebodyElse);
  const before = process.listeners('unhandledRejection');

  const during = await new World().run(() => process.listeners('unhandledRejection'));
  const after = process.listeners('unhandledRejection');
  process.off('unhandledRejection', ofSomebodyElse);

  expect(during).not.toContain(ofSomebodyElse);
  expect(after).toEqual(before);
});

test('settle runs until no event is left', async () => {
  const world = new World();
  const a = world.process('a');
  const seen: number[] = [];
  const walk = async (): Promise<void> => {
    for (const ms of [10, 20, 30]) {
      await a.sleep(ms);
      seen.push(world.nowMs);
    }
  };
  void walk();

  await world.settle();

  expect(seen).toEqual([10, 30, 60]);
});

test('advance runs all events of its span, its end included, and leaves time there', async () => {
  const world = new World();
  const a = world.process('a');
  const seen: number[] = [];
  const tick = async (): Promise<void> => {
    for (;;) {
      await a.sleep(10);
      seen.push(world.nowMs);
    }
  };
  void tick();

  await world.advance(30);
  await world.advance(5);

  expect(seen).toEqual([10, 20, 30]);
  expect(world.nowMs).toBe(35);
});

test('advance works inside run too, and comes last at its time', async () => {
  const world = new World();
  const a = world.process('a');
  const seen: string[] = [];

  await world.run(async () => {
    const waited = world.advance(10).then(() => seen.push('advance'));
    const slept = a.sleep(10).then(() => seen.push('sleep'));
    world.at(10, () => seen.push('harness'));
    await Promise.all([waited, slept]);
  });

  expect(seen).toEqual(['harness', 'sleep', 'advance']);
});

test.each([
  ['immediates', immediateDriver],
  ['messages', channelDriver],
])('between two events all microtasks run, however many: %s', async (_, driver) => {
  const world = new World({ driver });
  const a = world.process('a');
  const seen: string[] = [];
  const chain = async (): Promise<void> => {
    await a.sleep(1);
    for (let i = 0; i < 1_000; i++) await Promise.resolve();
    seen.push('end of the chain');
  };
  world.at(1.001, () => seen.push('next event'));

  await world.run(chain);
  await world.settle();

  expect(seen).toEqual(['end of the chain', 'next event']);
});

test('one world cannot be run twice at once', async () => {
  const world = new World();
  const a = world.process('a');

  await world.run(async () => {
    await expect(world.run(() => a.sleep(1))).rejects.toThrow('already running');
    await expect(world.settle()).rejects.toThrow('await its operations');
  });
});

test('a second process of the same name is refused', () => {
  const world = new World();
  world.process('a');

  expect(() => world.process('a')).toThrow('the name a is taken by a process');
});

test('the hash of a trace that was not kept is an error, not a constant', () => {
  expect(() => new World({ trace: false }).trace.hash()).toThrow('keeps no trace');
});

/** Enough steps for two worlds to take many turns each. */
async function ticks(process: SimProcess): Promise<void> {
  for (let i = 0; i < 100; i++) await process.sleep(1);
}

function ofSomebodyElse(): void {}

test('without a trace errors have no stack inside a run, and one outside', async () => {
  const inside = await new World({ trace: false }).run(() => new Error('within').stack);
  const traced = await new World().run(() => new Error('within').stack);

  expect(inside).toBe('Error: within');
  expect(traced).toContain('world.test.ts');
  expect(new Error('after').stack).toContain('world.test.ts');
});
