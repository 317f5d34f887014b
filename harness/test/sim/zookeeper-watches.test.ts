import { expect, test } from 'vitest';
import { ZooKeeperWorld } from './support/zookeeper-world.ts';

test('a watch fires once: when the node is created, changed or deleted', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const b = await sim.clientAt('b', 2);
    const fired: string[] = [];
    const watch = (name: string) => b.session.existsWatch('/x', () => void fired.push(name));

    expect((await watch('created')).stat).toBeUndefined();
    const { czxid } = await a.persistent('/x');
    await sim.world.advance(10);
    await a.session.setData('/x', '1');
    await sim.world.advance(10);
    expect(fired).toEqual(['created']);

    expect((await watch('changed')).stat).toMatchObject({ czxid, ephemeralOwner: 0n });
    await a.session.setData('/x', '2');
    await sim.world.advance(10);
    await watch('deleted');
    await a.session.delete('/x');
    await sim.world.advance(10);
    expect(fired).toEqual(['created', 'changed', 'deleted']);
    expect(sim.server(2).watches).toBe(0);
  });
});

test('a watch event precedes any reply that shows the change', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const b = await sim.clientAt('b', 1);
    const seen: string[] = [];
    await b.session.existsWatch('/x', () => void seen.push('watch'));
    const created = a.persistent('/x');
    for (let ms = 0; ms < 20; ms++) {
      void b.session.existsWatch('/x', () => {}).then(({ stat }) => stat && seen.push('stat'));
      await sim.world.advance(1);
    }
    await created;

    expect(seen.slice(0, 2)).toEqual(['watch', 'stat']);
  });
});

test('one event notifies all watchers of a node in a session that were not removed', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const fired: string[] = [];
    await a.session.existsWatch('/x', () => void fired.push('one'));
    const second = await a.session.existsWatch('/x', () => void fired.push('two'));
    await a.session.existsWatch('/x', () => void fired.push('three'));
    second.unwatch();
    await a.persistent('/x');

    expect(fired).toEqual(['one', 'three']);
    const pushes = sim.world.trace.records.filter(
      ({ kind, label }) => kind === 'recv' && label === 'watch',
    );
    expect(pushes).toHaveLength(1);
  });
});

test('watches are set again on the next connection, and fire at once for what happened meanwhile', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3);
    const b = await sim.clientAt('b', 1);
    for (const path of ['/same', '/changed', '/deleted']) await a.persistent(path);
    await b.session.sync('/');
    const fired: string[] = [];
    for (const path of ['/same', '/changed', '/deleted', '/created', '/absent'])
      await b.session.existsWatch(path, () => void fired.push(path));
    const heal = sim.network.cut(b.process, sim.server(1));
    sim.server(1).breakConnections();
    await a.session.setData('/changed', 'new');
    await a.session.delete('/deleted');
    await a.persistent('/created');
    expect(fired).toEqual([]);
    heal();
    await b.until('disconnected');
    await b.until('connected');
    await sim.world.advance(10);

    expect(fired.toSorted()).toEqual(['/changed', '/created', '/deleted']);
    await a.session.delete('/same');
    await a.persistent('/absent');
    await sim.world.advance(10);
    expect(fired.slice(3)).toEqual(['/same', '/absent']);
  });
});

test('a removed watch is not set again on the next connection', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const watched = await a.session.existsWatch('/x', () => {});
    watched.unwatch();
    sim.server(1).breakConnections();
    await a.until('disconnected');
    await a.until('connected');
    await a.session.sync('/');

    expect(sim.server(1).watches).toBe(0);
  });
});

test('an event that the network swallows arrives after the silent connection was abandoned', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3);
    const b = await sim.clientAt('b', 1);
    await a.persistent('/x');
    await b.session.sync('/');
    let firedAtMs: number | undefined;
    await b.session.existsWatch('/x', () => void (firedAtMs = sim.world.nowMs));
    const remove = sim.network.rule(({ way, to }) => {
      if (way !== 'push' || to !== 'b') return 'pass';
      remove();
      return 'drop';
    });
    const beganMs = sim.world.nowMs;
    await a.session.delete('/x');
    await sim.until(() => firedAtMs !== undefined);

    // Two thirds of T after the last reply, and the time to connect again.
    expect(sim.world.nowMs - beganMs).toBeGreaterThan(2_600);
    expect(sim.world.nowMs - beganMs).toBeLessThan(4_000);
    expect(b.session.state).toBe('connected');
  });
});

test('watchers are notified when the session has ended', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    let fired = 0;
    await a.session.existsWatch('/x', () => void fired++);
    await a.session.close();

    expect([fired, a.session.state]).toEqual([1, 'closed']);
    await sim.world.advance(10);
    expect(sim.server(1).watches).toBe(0);
  });
});
