import { expect, test } from 'vitest';
import { channelDriver, type Driver, immediateDriver } from '../../src/simulator/index.ts';
import { type Client, outcome, ZooKeeperWorld } from './support/zookeeper-world.ts';

const RUNS = 50;

/** Three clients on a queue while a follower lags, the leader dies, and a client is paused: enough to go wrong. */
async function hashOf(seed: number, driver: Driver, stopMs = 900): Promise<string> {
  const sim = new ZooKeeperWorld({ world: { seed, driver, guard: false } });
  const work = async (client: Client): Promise<void> => {
    for (let round = 0; round < 4; round++) {
      while (client.session.state !== 'connected') await client.process.sleep(20);
      const created = await outcome(client.sequential('/q/l-'));
      const listed = await outcome(client.session.list('/q').then(({ children }) => children));
      sim.world.note(client.process.name, 'seen', JSON.stringify([created, listed]));
      if (typeof created === 'string' && created.startsWith('/'))
        await outcome(client.session.delete(created));
      await client.process.sleep(client.process.runtime.random() * 300);
    }
  };
  await sim.world.run(async () => {
    const clients = [await sim.client('a'), await sim.client('b'), await sim.client('c')];
    await clients[0]!.persistent('/q');
    sim.server(1).lag(20);
    sim
      .server(3)
      .anchor('after', 'proposal', 4, () =>
        sim.server(3).restart({ data: 'durable', downMs: 300 }),
      );
    clients[1]!.process.anchor('before', 'list', 2, () => clients[1]!.process.pause(stopMs));
    await Promise.all(clients.map(work));
  });
  return sim.world.trace.hash();
}

test('runs of one schedule have one trace, under either driver', async () => {
  const hashes = new Set<string>();
  for (let run = 0; run < RUNS; run++)
    hashes.add(await hashOf(1, run % 2 === 0 ? immediateDriver : channelDriver));

  expect([...hashes]).toHaveLength(1);
});

test('two runs that differ in the length of a pause, or in their seed, have two traces', async () => {
  const one = await hashOf(1, immediateDriver);

  expect(await hashOf(1, immediateDriver, 901)).not.toBe(one);
  expect(await hashOf(2, immediateDriver)).not.toBe(one);
});
