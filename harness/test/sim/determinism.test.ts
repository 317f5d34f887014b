import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  channelDriver,
  type Driver,
  immediateDriver,
  type SimProcess,
  World,
} from '../../src/simulator/index.ts';

const RUNS = 1_000;

/** Three processes that jitter, call a shared counter, stall, pause and crash: enough to go wrong in any order. */
function scenario(seed: number, driver: Driver): { world: World; main: () => Promise<void> } {
  const world = new World({ seed, driver });
  const processes = ['a', 'b', 'c'].map((name, i) => world.process(name, { driftPpm: i * 50 }));
  let counter = 0;
  const work = async (process: SimProcess): Promise<void> => {
    for (let round = 0; round < 5; round++) {
      await process.sleep(process.runtime.random() * 10);
      const latency = { requestMs: process.runtime.random(), replyMs: process.runtime.random() };
      const seen = await process.call('add', () => ++counter, latency);
      await Promise.race([process.sleep(1), process.sleep(process.runtime.random() * 2)]);
      world.note(process.name, 'seen', `${seen} ${process.runtime.randomId()}`);
    }
  };
  processes[0]!.stallBefore('add', 2, 7);
  world.at(8, () => processes[1]!.pause(12));
  world.at(30, () => processes[2]!.crash());
  const main = async (): Promise<void> => {
    const [a, b, doomed] = processes.map(work);
    void doomed;
    await Promise.all([a, b]);
  };
  return { world, main };
}

/** Real time passes on the same thread: timers, garbage, foreign promises. */
let noise: ReturnType<typeof setInterval>;
let garbage: unknown[] = [];
beforeAll(() => {
  noise = setInterval(() => {
    garbage = Array.from({ length: 5_000 }, (_, i) => ({ i, text: `${i}` }));
    void Promise.resolve().then(() => garbage.toReversed());
  }, 1);
});
afterAll(() => clearInterval(noise));

test('a thousand runs of one schedule have one trace, under either driver, alone or beside another world', async () => {
  const hashes = new Set<string>();
  for (let i = 0; i < RUNS; i++) {
    const { world, main } = scenario(1, i % 2 === 0 ? immediateDriver : channelDriver);
    const other = scenario(i, immediateDriver);
    await Promise.all([world.run(main), i % 3 === 0 ? other.world.run(other.main) : undefined]);
    hashes.add(world.trace.hash());
  }

  expect([...hashes]).toHaveLength(1);
});

test('two runs that differ in nothing but a time have two traces', async () => {
  const hashes = [5, 6].map(async (ms) => {
    const world = new World();
    const a = world.process('a');
    await world.run(() => a.call('x', () => {}, { requestMs: ms }));
    return world.trace.hash();
  });

  const [one, other] = await Promise.all(hashes);

  expect(one).not.toBe(other);
});

test('another seed gives another trace', async () => {
  const hashes = new Set<string>();
  for (let seed = 0; seed < 20; seed++) {
    const { world, main } = scenario(seed, immediateDriver);
    await world.run(main);
    hashes.add(world.trace.hash());
  }

  expect(hashes.size).toBe(20);
});
