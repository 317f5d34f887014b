import { expect, test } from 'vitest';
import { outcome, ZooKeeperWorld } from './support/zookeeper-world.ts';

const TICK_MS = 1_000;

test('the session timeout is kept within the bounds of the servers', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const [short, long] = [
      await sim.client('a', { timeoutMs: 50 }),
      await sim.client('b', { timeoutMs: 100_000 }),
    ];

    expect([short.session.timeoutMs, long.session.timeoutMs]).toEqual([2_000, 20_000]);
  });
});

test('closing a session deletes its ephemeral nodes at once, and nothing else', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    await a.persistent('/p');
    await a.ephemeral('/p/e');
    await a.session.close();
    await sim.world.advance(5);

    expect(sim.pathsBelow('/p')).toEqual([[], [], []]);
    expect(sim.server(2).find('/p')).toBeDefined();
    expect(await outcome(a.persistent('/q'))).toBe('SessionUnavailable');
  });
});

test('a session whose client died expires on a tick of the leader, with its ephemeral nodes', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 3);
    await sim.world.advance(300);
    await a.ephemeral('/e');
    const lastHeardMs = sim.world.nowMs;
    a.process.crash();
    await sim.until(() => sim.server(3).find('/e') === undefined, 1);

    // Rounded up from the arrival of its last request, plus 4 000; and the tick is the leader's, a round trip ago.
    expect((sim.world.nowMs - 2) % TICK_MS).toBe(0);
    expect(sim.world.nowMs - lastHeardMs).toBeGreaterThan(4_000 - 10);
    expect(sim.world.nowMs - lastHeardMs).toBeLessThan(4_000 + TICK_MS + 10);
  });
});

test('the clock of the leader alone decides: when it runs fast, sessions end early', async () => {
  const sim = new ZooKeeperWorld();
  sim.server(3).setDrift(500_000);

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    await a.ephemeral('/e');
    const beganMs = sim.world.nowMs;
    a.process.crash();
    await sim.until(() => sim.server(1).find('/e') === undefined);

    expect(sim.world.nowMs - beganMs).toBeLessThan(3_500);
  });
});

test('a wall clock that jumps ends nothing', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    await a.ephemeral('/e');
    for (const server of sim.ensemble.servers) server.jumpWall(3_600_000);
    await sim.world.advance(10_000);

    expect([a.session.state, sim.server(1).find('/e')?.data]).toEqual(['connected', '']);
  });
});

test('an idle client keeps its session by pings, over a follower too', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const clients = [await sim.clientAt('a', 1), await sim.clientAt('b', 3)];
    for (const { session, process } of clients)
      await session.create(`/${process.name}`, '', { mode: 'ephemeral' });
    await sim.world.advance(60_000);

    for (const server of sim.ensemble.servers) expect(server.paths()).toEqual(['/', '/a', '/b']);
  });
});

test('a client that pings a follower keeps its session only by the touches that reach the leader', async () => {
  const sim = new ZooKeeperWorld({ ensemble: { syncLimit: 20 } });

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    await a.ephemeral('/e');
    await sim.world.advance(1_100);
    sim.network.cut(sim.server(1), sim.server(3));
    const cutMs = sim.world.nowMs;
    await sim.until(() => sim.server(3).find('/e') === undefined);

    expect(sim.world.nowMs - cutMs).toBeLessThan(4_000 + 2 * TICK_MS);
    // The follower still replies to pings and reads, and does not know of it.
    expect(a.session.state).toBe('connected');
    expect(await outcome(a.session.read('/e'))).toMatchObject({ data: '' });
  });
});

test('a follower that no longer hears its leader serves until the limit, and not after it', async () => {
  const sim = new ZooKeeperWorld({ ensemble: { syncLimit: 5 } });

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1, 20_000);
    await a.persistent('/x');
    sim.network.cut(sim.server(1), sim.server(3));
    const cutMs = sim.world.nowMs;
    await a.until('disconnected');

    expect(sim.world.nowMs - cutMs).toBeGreaterThan(4_400);
    expect(sim.world.nowMs - cutMs).toBeLessThan(5_100);
    expect(sim.server(1).role).toBe('looking');
  });
});

test('a write over a follower does not touch the session; the next answer to a ping of the leader would', async () => {
  const sim = new ZooKeeperWorld({ ensemble: { syncLimit: 60 } });

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    await a.ephemeral('/e');
    await sim.world.advance(1_100 - sim.world.nowMs);
    await a.session.setData('/e', '');
    sim.network.cut(sim.server(1), sim.server(3));
    await sim.until(() => sim.server(3).find('/e') === undefined);

    // Rounded up from when the session was created; the write would have postponed that by a tick.
    expect(Math.floor(sim.world.nowMs / TICK_MS)).toBe(5);
  });
});

test('a client that was paused for too long learns that its session has expired only when it has connected again', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const states: string[] = [];
    a.session.onState((state) => states.push(state));
    await a.ephemeral('/e');
    a.process.pause(7_000);
    const beganMs = sim.world.nowMs;
    await sim.until(() => sim.server(1).find('/e') === undefined);
    expect(a.session.state).toBe('connected');
    await a.until('expired');

    expect(states).toEqual(['disconnected', 'expired']);
    expect(sim.world.nowMs - beganMs).toBeGreaterThanOrEqual(7_000);
    expect(await outcome(a.session.read('/e'))).toBe('SessionUnavailable');
  });
});

test('a paused process sends nothing, and receives messages when it resumes', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const b = await sim.clientAt('b', 2);
    let fired = 0;
    await a.session.existsWatch('/x', () => void fired++);
    a.process.pause(2_000);
    await b.persistent('/x');
    await sim.world.advance(1_900);
    expect(fired).toBe(0);
    await sim.world.advance(200);

    expect([fired, a.session.state]).toEqual([1, 'connected']);
  });
});

test('a client cut from all servers abandons its connection after two thirds of T, and returns with its session', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.client('a');
    const { id } = a.session;
    const heals = sim.ensemble.servers.map((server) => sim.network.cut(a.process, server));
    const beganMs = sim.world.nowMs;
    const write = outcome(a.persistent('/x'));
    await a.until('disconnected');
    expect(sim.world.nowMs - beganMs).toBeLessThan(2_800);
    expect(await write).toBe('SessionDoubt');
    expect(await outcome(a.persistent('/y'))).toBe('SessionUnavailable');
    const { validated } = a.session;
    for (const heal of heals) heal();
    await a.until('connected');

    expect(a.session.id).toBe(id);
    expect(a.session.validated.monotonicMs - validated.monotonicMs).toBeGreaterThan(2_600);
  });
});

test('a reply that is lost leaves a doubt, although the write was done', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.client('a');
    sim.network.rule(({ way, label }) =>
      way === 'reply' && label === 'create' ? 'reset' : 'pass',
    );

    expect(await outcome(a.ephemeral('/e'))).toBe('SessionDoubt');
    await a.until('connected');
    expect((await a.session.read('/e')).stat.ephemeralOwner).toBe(a.session.id);
  });
});

test('a request over a server that the client has left is not executed any more', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.client('a', { servers: [sim.server(1), sim.server(2)] });
    const [at, other] = a.session.address === 'n1:2181' ? [1, 2] : [2, 1];
    sim.network.rule(({ label, from }) =>
      label === 'forward' && from === `n${at}` ? { delayMs: 500 } : 'pass',
    );
    const late = outcome(a.persistent('/late'));
    await sim.world.advance(10);
    sim.server(at).breakConnections();
    await a.until('disconnected');
    await a.until('connected');
    expect(a.session.address).toBe(`n${other}:2181`);
    await sim.world.advance(2_000);

    expect(await late).toBe('SessionDoubt');
    expect(sim.server(3).find('/late')).toBeUndefined();
  });
});

test('a reply carries the time its request left, and answeredBefore finds the request with a reply by a given time', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const { session, process } = await sim.clientAt('a', 3);
    expect(session.answeredBefore(process.clocks.monotonicMs)).toBeUndefined();
    const leftAt = process.clocks;
    const { sentAt } = await session.sync('/');
    const answeredMs = process.clocks.monotonicMs;

    expect(sentAt).toEqual(leftAt);
    expect(session.answeredBefore(answeredMs)).toEqual(leftAt);
    expect(session.answeredBefore(answeredMs - 1)).toBeUndefined();
    // Its session was opened first: dialling takes a latency each way, then the greeting left.
    expect(leftAt.monotonicMs - session.validated.monotonicMs).toBe(4);
    await sim.world.advance(3_000);
    const ping = session.answeredBefore(process.clocks.monotonicMs);
    expect(ping?.monotonicMs).toBeGreaterThan(answeredMs);
  });
});

test('pings go every third of T', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    await sim.clientAt('a', 1, 6_000);
    await sim.world.advance(12_000);

    const pings = sim.world.trace.records.filter(
      ({ process, kind, label }) => process === 'a' && kind === 'send' && label === 'ping',
    );
    expect(pings).toHaveLength(6);
  });
});

test('without servers no session is opened, and the error comes at the deadline', async () => {
  const sim = new ZooKeeperWorld();
  for (const server of sim.ensemble.servers) server.crash();

  await sim.world.run(async () => {
    expect(await outcome(sim.client('a'))).toBe('SessionUnavailable');
    expect(sim.world.nowMs).toBe(5_000);
  });
  await sim.world.settle();
});

test('closing ends by its limit when no server answers, and the session by its timeout', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    await a.ephemeral('/e');
    sim.network.cut(a.process, sim.server(1));
    const beganMs = sim.world.nowMs;
    await a.session.close({ timeoutMs: 700 });
    expect([sim.world.nowMs - beganMs, a.session.state]).toEqual([700, 'closed']);
    expect(sim.server(1).find('/e')).toBeDefined();
  });
  await sim.world.settle();

  expect(sim.server(1).find('/e')).toBeUndefined();
});
