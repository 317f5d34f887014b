import { expect, test } from 'vitest';
import { outcome, ZooKeeperWorld } from './support/zookeeper-world.ts';

test('a follower that lags replies to reads with the data it has, and a sync waits for the rest', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3);
    const b = await sim.clientAt('b', 1);
    sim.server(1).lag(500);
    await a.persistent('/x');
    expect(await outcome(b.session.read('/x'))).toBe('NONODE');
    const beganMs = sim.world.nowMs;
    await b.session.sync('/x');

    expect(sim.world.nowMs - beganMs).toBeGreaterThan(490);
    expect(await outcome(b.session.read('/x'))).toMatchObject({ data: '' });
  });
});

test('a sync waits for proposals, also at the leader', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3);
    const b = await sim.clientAt('b', 3);
    sim.network.rule(({ label }) => (label === 'ack' ? { delayMs: 200 } : 'pass'));
    const created = a.persistent('/x');
    await sim.world.advance(10);
    expect(await outcome(b.session.read('/x'))).toBe('NONODE');
    await b.session.sync('/x');

    expect(await outcome(b.session.read('/x'))).toMatchObject({ data: '' });
    await created;
  });
});

test('a reset between servers costs the follower its clients for a moment, and nothing else', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const remove = sim.network.rule(({ label, from }) => {
      if (label !== 'forward' || from !== 'n1') return 'pass';
      remove();
      return 'reset';
    });
    expect(await outcome(a.persistent('/x'))).toBe('SessionDoubt');
    await a.until('connected');

    expect(await outcome(a.persistent('/y'))).toMatchObject({});
    await sim.world.advance(10);
    for (const server of sim.ensemble.servers) expect(server.paths()).toEqual(['/', '/y']);
  });
});

test('the server with the most transactions is elected, so that acknowledged ones are never lost', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const heal = sim.network.cut(sim.server(2), sim.server(3));
    await a.persistent('/x');
    sim.server(3).crash();
    heal();
    sim.server(2).restart({ data: 'durable' });
    await a.until('disconnected');
    await a.until('connected');

    expect(await outcome(a.session.read('/x'))).toMatchObject({ data: '' });
    expect(sim.ensemble.leader?.name).toBe('n1');
  });
});

test('data that a majority has lost is gone from the others too', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3);
    await a.persistent('/x');
    await sim.world.advance(10);
    const heals = [1, 2].map((n) => sim.network.cut(sim.server(3), sim.server(n)));
    for (const n of [1, 2]) sim.server(n).restart({ data: 'torn', lost: 1 });
    await sim.until(() => sim.server(1).isServing);
    const b = await sim.clientAt('b', 1);
    await b.persistent('/y');
    for (const heal of heals) heal();
    await sim.until(() => sim.server(3).isServing && sim.server(3).role === 'following');
    await sim.world.advance(10);

    for (const server of sim.ensemble.servers) expect(server.paths()).toEqual(['/', '/y']);
  });
});

test('a server that has followed a later leader keeps away from an ensemble that lost its data', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    sim.server(3).restart({ data: 'durable', downMs: 1_000 });
    await sim.until(() => sim.server(3).isServing && sim.server(3).role === 'following');
    sim.server(3).crash();
    for (const n of [1, 2]) sim.server(n).restart({ data: 'empty' });
    await sim.until(() => sim.server(1).isServing && sim.server(2).isServing);
    sim.server(3).restart({ data: 'durable' });
    const before = sim.world.trace.records.length;
    await sim.world.advance(60_000);

    expect(sim.server(3).isServing).toBe(false);
    // It retries, ever more rarely.
    expect(sim.world.trace.records.length - before).toBeLessThan(500);
  });
});

test('a client that has seen more than a server has does not use it', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.client('a', { servers: [sim.server(1), sim.server(3)] });
    sim.server(1).lag(3_000);
    if (a.session.address === 'n1:2181') sim.server(1).breakConnections();
    await a.until('connected');
    expect(a.session.address).toBe('n3:2181');
    await a.persistent('/x');
    sim.server(3).breakConnections();
    await sim.world.advance(50);
    await a.until('connected');

    expect(a.session.address).toBe('n3:2181');
    expect(await outcome(a.session.read('/x'))).toMatchObject({ data: '' });
  });
});

test('when the leader dies another one leads soon, acknowledged data stays, and sessions start with their full time', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const { id } = a.session;
    await a.ephemeral('/e', 'kept');
    const beganMs = sim.world.nowMs;
    sim.ensemble.leader?.crash();
    await sim.until(() => sim.ensemble.leader !== undefined);
    expect(sim.world.nowMs - beganMs).toBeLessThan(600);
    await a.until('connected');

    expect([a.session.id, (await a.session.read('/e')).data]).toEqual([id, 'kept']);
    await sim.world.advance(20_000);
    expect(a.session.state).toBe('connected');
  });
});

test('a proposal that only the leader has dies with it, and does not come back with it', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    sim.server(3).anchor('before', 'proposal', 1, () => sim.server(3).crash());
    expect(await outcome(a.persistent('/lost'))).toBe('SessionDoubt');
    await a.until('connected');
    await a.persistent('/after');
    sim.server(3).restart({ data: 'durable' });
    await sim.until(() => sim.server(3).role === 'following' && sim.server(3).isServing);
    await sim.world.advance(100);

    expect(sim.server(3).paths()).toEqual(['/', '/after']);
  });
});

test('a proposal that a majority may have is committed by the next leader, with or without a reply to the client', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    sim.server(3).anchor('after', 'proposal', 1, () => sim.server(3).crash());
    expect(await outcome(a.persistent('/x'))).toBe('SessionDoubt');
    await a.until('connected');

    expect(await outcome(a.session.read('/x'))).toMatchObject({ data: '' });
  });
});

test('the loss of one follower does not matter; without a majority no client is served', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.client('a', { timeoutMs: 20_000 });
    await a.ephemeral('/e');
    sim.server(1).crash();
    await sim.world.advance(1_000);
    await a.until('connected');
    await a.persistent('/x');

    sim.server(2).crash();
    await sim.world.advance(8_000);
    expect(sim.ensemble.leader).toBeUndefined();
    expect(a.session.state).toBe('disconnected');

    sim.server(2).restart({ data: 'durable' });
    await a.until('connected');
    expect(await outcome(a.session.read('/x'))).toMatchObject({ data: '' });
    expect(await outcome(a.session.read('/e'))).toMatchObject({ data: '' });
  });
});

test('a leader that is cut off commits nothing, and joins the next one when it is back', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const old = await sim.clientAt('a', 3, 20_000);
    const other = await sim.clientAt('b', 1, 20_000);
    const heals = [1, 2].map((n) => sim.network.cut(sim.server(3), sim.server(n)));
    const lost = outcome(old.persistent('/old'));
    await other.until('disconnected');
    await other.until('connected');
    await other.persistent('/new');
    expect(await lost).toBe('SessionDoubt');
    for (const heal of heals) heal();
    await sim.until(() => sim.server(3).isServing);
    await sim.world.advance(100);

    for (const server of sim.ensemble.servers) expect(server.paths()).toEqual(['/', '/new']);
    expect(sim.ensemble.leader?.name).not.toBe('n3:2181');
  });
});

test('clients that come and go do not delay the replacement of a leader that is cut off', async () => {
  const sim = new ZooKeeperWorld({ ensemble: { tickMs: 500 } });

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3, 1_000);
    await a.session.close();
    for (const n of [1, 2]) sim.network.cut(sim.server(3), sim.server(n));
    // Each is gone again before the servers would have pinged.
    for (let i = 0; i < 60; i++) {
      const knocking = sim.client(`c${i}`, { servers: [sim.server(1)], timeoutMs: 1_000 });
      knocking.catch(() => {});
      await sim.world.advance(50);
      sim.server(1).breakConnections();
      await sim.world.advance(50);
    }

    expect(sim.ensemble.leader?.name).toBe('n2');
  });
});

test('a leader that is paused for too long is replaced, and follows when it resumes', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1, 20_000);
    sim.server(3).stop(9_000);
    await a.until('disconnected');
    await a.until('connected');
    await a.persistent('/x');
    await sim.world.advance(9_500);

    expect(sim.server(3).role).toBe('following');
    expect(sim.server(3).paths()).toEqual(['/', '/x']);
  });
});

test.each([
  ['durable', ['/', '/x']],
  ['empty', ['/', '/x']],
  ['torn', ['/', '/x']],
] as const)('a server that comes back %s gets everything from the leader', async (data, paths) => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3);
    await a.persistent('/x');
    sim.server(1).restart({ data, downMs: 500 });
    await sim.world.advance(100);
    expect(sim.server(1).role).toBe('down');
    await sim.world.advance(2_000);

    expect(sim.server(1).paths()).toEqual(paths);
  });
});

test('one server alone that comes back with its data has every session back, with its full time', async () => {
  const sim = new ZooKeeperWorld({ ensemble: { size: 1 } });

  await sim.world.run(async () => {
    const a = await sim.client('a');
    await a.ephemeral('/e');
    sim.server(1).restart({ data: 'durable', downMs: 6_000 });
    await a.until('disconnected');
    await a.until('connected');

    expect(await outcome(a.session.read('/e'))).toMatchObject({ data: '' });
  });
});

test('an ensemble that lost its data starts empty, and serves no client that has seen more', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.client('a');
    await a.ephemeral('/e');
    for (const server of sim.ensemble.servers) server.restart({ data: 'empty' });
    await a.until('disconnected');
    const b = await sim.client('b');
    await sim.world.advance(5_000);

    expect(a.session.state).toBe('disconnected');
    expect(await outcome(b.session.read('/e'))).toBe('NONODE');
  });
});

test('a stop anchored before a request holds up that very request', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    sim.server(1).anchor('before', 'create', 2, () => sim.server(1).stop(500));
    await a.persistent('/x');
    const beganMs = sim.world.nowMs;
    await a.persistent('/y');

    expect(sim.world.nowMs - beganMs).toBe(506);
  });
});

test('a stall before a call of a process holds up that very call', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    a.process.stallBefore('create', 1, 800);
    const beganMs = sim.world.nowMs;
    const { sentAt } = await a.session.create('/x', '', { mode: 'persistent' });

    expect(sim.world.nowMs - beganMs).toBe(806);
    expect(a.process.clocks.monotonicMs - sentAt.monotonicMs).toBe(806);
  });
});

test('a start that was planned for an earlier crash does not revive a server that has crashed since', async () => {
  const sim = new ZooKeeperWorld();
  await sim.world.run(async () => {
    const server = sim.server(2);
    server.restart({ data: 'durable', downMs: 100 });
    server.restart({ data: 'durable', downMs: 300 });
    await sim.world.advance(150);
    server.restart({ data: 'durable', downMs: 1_000 });
    await sim.world.advance(200);
    expect(server.isUp).toBe(false);
    await sim.world.advance(900);
    expect(server.isUp).toBe(true);
  });
});

test('followers that restart while no client sends anything are accepted, and stay with their leader', async () => {
  const sim = new ZooKeeperWorld();
  const followers = [sim.server(1), sim.server(2)];
  for (const follower of followers) follower.restart({ data: 'durable', downMs: 10 });

  await sim.world.settle();

  expect(sim.ensemble.leader).toBe(sim.server(3));
  expect(followers.map(({ role, isServing }) => [role, isServing])).toEqual([
    ['following', true],
    ['following', true],
  ]);
});
