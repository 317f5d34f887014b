import { NodeDoubt, NodeUnavailable } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { failure, RedisWorld } from './support/redis-world.ts';

const SET = ['SET', 'k', 'v', 'PX', '1000'] as const;

test('a key expires by the wall clock of its server', async () => {
  const sim = new RedisWorld({ server: { wallOffsetMs: -5_000, driftPpm: 1_000 } });
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    await sim.world.advance(995);
    expect(sim.read('k')).toBe('v');
    await sim.world.advance(5);
    expect(sim.read('k')).toBeNull();
  });
});

test('a wall clock that jumps ahead ends keys early, one that jumps back keeps them', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    sim.server.jumpWall(-5_000);
    await sim.world.advance(3_000);
    expect(sim.read('k')).toBe('v');
    sim.server.jumpWall(5_000);
    expect(sim.read('k')).toBeNull();
  });
});

test('a paused server replies when it resumes, by its clock at that time', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  const replies = await sim.world.run(async () => {
    await a.command(SET);
    sim.server.stop(2_000);
    const held = await Promise.all([
      a.command(['GET', 'k'], 3_000),
      a.command(['SET', 'k', 'w', 'NX'], 3_000),
    ]);
    return [...held, sim.world.nowMs];
  });

  expect(replies).toEqual([null, 'OK', 2_007]);
});

test('a command on the wire at a crash is in doubt, and not executed', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  const error = await sim.world.run(async () => {
    await a.command(['PING']);
    const doubt = failure(a.command(SET));
    sim.server.restart({ data: 'durable' });
    return doubt;
  });

  expect(error).toBeInstanceOf(NodeDoubt);
  expect(sim.read('k')).toBeNull();
});

test.each([
  ['empty', null, null],
  ['durable', 'first', 'second'],
  ['torn', 'first', null],
] as const)('a server that comes back %s holds what it should', async (data, first, second) => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  const left = await sim.world.run(async () => {
    await a.command(['SET', 'one', 'first', 'PX', '60000']);
    await a.command(['SET', 'two', 'second']);
    sim.server.restart({ data, downMs: 100 });
    await sim.world.advance(3_000);
    return [await a.command(['GET', 'one']), await a.command(['GET', 'two'])];
  });

  expect(left).toEqual([first, second]);
});

test('a ttl runs while the server is down', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    sim.server.restart({ data: 'durable', downMs: 900 });
    await sim.world.advance(950);
    expect(sim.read('k')).toBe('v');
    await sim.world.advance(100);
    expect(sim.read('k')).toBeNull();
  });
});

test('a start that was planned for an earlier crash does not revive a server that has crashed since', async () => {
  const sim = new RedisWorld();

  await sim.world.run(async () => {
    sim.server.restart({ data: 'durable', downMs: 100 });
    sim.server.restart({ data: 'durable', downMs: 300 });
    await sim.world.advance(150);
    expect(sim.server.isUp).toBe(true);
    sim.server.restart({ data: 'durable', downMs: 1_000 });
    await sim.world.advance(200);
    expect(sim.server.isUp).toBe(false);
    await sim.world.advance(900);
    expect(sim.server.isUp).toBe(true);
  });
});

test('a crash anchored after the second SET has applied it, and lost its reply', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  sim.server.anchor('after', 'SET', 2, () => sim.server.restart({ data: 'durable' }));

  const outcomes = await sim.world.run(() =>
    Promise.all(['1', '2', '3'].map((n) => failure(a.command(['SET', n, n])))),
  );

  expect(outcomes).toEqual([{ resolved: 'OK' }, expect.any(NodeDoubt), expect.any(NodeDoubt)]);
  expect(['1', '2', '3'].map((n) => sim.read(n))).toEqual(['1', '2', null]);
});

test('a crash anchored before a command leaves it undone', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  sim.server.anchor('before', 'SET', 1, () => sim.server.restart({ data: 'durable' }));

  const outcome = await sim.world.run(() => failure(a.command(SET)));

  expect(outcome).toBeInstanceOf(NodeDoubt);
  expect(sim.read('k')).toBeNull();
});

test('a stop anchored before a command holds up that very command, and those behind it in their order', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  sim.server.anchor('before', 'APPEND', 2, () => sim.server.stop(500));

  const lengths = await sim.world.run(() =>
    Promise.all(['x', 'y', 'z'].map((text) => a.command(['APPEND', 'k', text], 2_000))),
  );

  expect(lengths).toEqual([1, 2, 3]);
  expect(sim.read('k')).toBe('xyz');
  expect(sim.world.nowMs).toBe(506);
});

test('a pause anchored after a command delays its reply, but not its effect', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  sim.server.anchor('after', 'SET', 1, () => sim.server.stop(500));

  await sim.world.run(async () => {
    const reply = a.command(SET, 2_000);
    await sim.world.advance(100);
    expect(sim.read('k')).toBe('v');
    await reply;
  });

  expect(sim.world.nowMs).toBe(506);
});

test('the trace records requests, replies and expired keys', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  await sim.world.run(() => a.command(SET));
  await sim.world.settle();

  const traced = sim.world.trace.records.filter(({ label }) => label === 'SET' || label === 'k');
  expect(traced).toMatchObject([
    { process: 'a', kind: 'send', to: 'n1', detail: 'k v PX 1000', atUs: 4_000 },
    { process: 'n1', kind: 'exec', cause: traced[0]?.seq, atUs: 5_000 },
    {
      process: 'n1',
      kind: 'wrote',
      cause: traced[1]?.seq,
      detail: expect.stringMatching(/^k v PXAT \d+$/),
    },
    { process: 'a', kind: 'recv', cause: traced[1]?.seq, detail: '"OK"', atUs: 6_000 },
    { process: 'n1', kind: 'expire', label: 'k', detail: 'v', cause: traced[1]?.seq },
  ]);
});

test('an unreachable server makes its node unavailable, and the error names it', async () => {
  const sim = new RedisWorld();
  sim.server.crash();
  const a = sim.client('a');

  const error = await sim.world.run(() => failure(a.command(SET)));

  expect(error).toBeInstanceOf(NodeUnavailable);
  expect(String(error)).toContain('n1');
});

test('the trace records an expiry once, by the clock of the server, also after a jump', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    await sim.world.advance(100);
    sim.server.jumpWall(5_000);
  });
  await sim.world.settle();

  const ends = sim.world.trace.records.filter(({ kind }) => kind === 'expire');
  expect(ends).toMatchObject([{ label: 'k', atUs: 106_000 }]);
});

test('past readings of the clocks of a server and of a process can be read', async () => {
  const sim = new RedisWorld({ server: { wallOffsetMs: 50 } });
  const a = sim.client('a');
  const [server, process] = [sim.server.wallAt(0), a.process.times.clocksAt(0).wallMs];

  sim.world.at(1_000, () => {
    sim.server.jumpWall(500);
    a.process.jumpWall(-200);
  });
  await sim.world.advance(2_000);

  expect([999, 1_000].map((ms) => sim.server.wallAt(ms) - server)).toEqual([999, 1_500]);
  expect([999, 1_000].map((ms) => a.process.times.clocksAt(ms).wallMs - process)).toEqual([
    999, 800,
  ]);
});
