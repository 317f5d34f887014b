import { expect, test } from 'vitest';
import { outcome, ZooKeeperWorld } from './support/zookeeper-world.ts';

test('every server eventually has a client’s write, and another client reads it after a sync', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const b = await sim.clientAt('b', 2);
    await a.persistent('/x', 'one');
    await a.session.setData('/x', 'two');
    await b.session.sync('/x');

    expect(await b.session.read('/x')).toMatchObject({ data: 'two' });
    await sim.world.advance(10);
  });

  expect(sim.ensemble.servers.map((server) => server.find('/x')?.data)).toEqual([
    'two',
    'two',
    'two',
  ]);
});

test('a write needs no more than the ways to the leader and to a majority', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const leading = await sim.clientAt('a', 3);
    const following = await sim.clientAt('b', 1);
    const beganMs = sim.world.nowMs;
    await leading.persistent('/x');
    const viaLeaderMs = sim.world.nowMs - beganMs;
    await following.persistent('/y');

    // There and back, and a proposal with its acknowledgement; over a follower also to the leader, and its commit.
    expect([viaLeaderMs, sim.world.nowMs - beganMs - viaLeaderMs]).toEqual([4, 6]);
  });
});

test('sequence numbers count the children ever created, deleted ones included', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.client('a');
    await a.persistent('/q');
    const first = await a.sequential('/q/l-');
    await a.session.delete(first);
    await a.persistent('/q/other');
    const second = await a.sequential('/q/l-');

    expect([first, second]).toEqual(['/q/l-0000000000', '/q/l-0000000002']);
  });
});

test('the transaction that creates a node is numbered by epoch and counter, and grows over elections', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const a = await sim.clientAt('a', 1);
    const before = await a.persistent('/x');
    sim.ensemble.leader?.crash();
    await sim.until(() => sim.ensemble.leader !== undefined);
    await a.until('connected');
    const after = await a.persistent('/y');

    expect([before.czxid >> 32n, after.czxid >> 32n]).toEqual([1n, 2n]);
    expect(after.czxid & 0xffffffffn).toBe(1n);
  });
});

test('requests that cannot be done are refused as ZooKeeper refuses them', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const { session } = await sim.client('a');
    const create = (path: string, mode: 'persistent' | 'ephemeral' = 'persistent') =>
      session.create(path, '', { mode });
    await create('/x');
    await create('/x/y');
    await create('/e', 'ephemeral');
    const attempts = {
      NODEEXISTS: () => create('/x'),
      NONODE: () => create('/no/where'),
      NOCHILDRENFOREPHEMERALS: () => create('/e/child'),
      BADARGUMENTS: () => create('/x//y'),
      NOTEMPTY: () => session.delete('/x'),
      INVALIDACL: () => session.create('/acl', '', { mode: 'persistent', acl: [] }),
    };

    for (const [code, attempt] of Object.entries(attempts))
      expect(await outcome(attempt())).toBe(code);
    for (const attempt of [session.delete('/z'), session.setData('/z', ''), session.read('/z')])
      expect(await outcome(attempt)).toBe('NONODE');
    expect(await outcome(session.list('/z'))).toBe('NONODE');
  });
});

test('only its creator can change a node with such an ACL, and its children', async () => {
  const sim = new ZooKeeperWorld();
  const acl = [{ who: 'creator', may: ['read', 'write', 'create', 'delete'] }] as const;

  await sim.world.run(async () => {
    const owner = await sim.client('a', { identity: 'ann' });
    const stranger = await sim.client('b', { identity: 'bob' });
    const again = await sim.client('c', { identity: 'ann' });
    await owner.persistent('/x', 'secret', acl);
    await owner.persistent('/x/y');
    await stranger.session.sync('/x');

    for (const attempt of [
      stranger.session.read('/x'),
      stranger.session.setData('/x', ''),
      stranger.session.delete('/x/y'),
      stranger.persistent('/x/z'),
    ])
      expect(await outcome(attempt)).toBe('NOAUTH');
    expect(await outcome(again.session.delete('/x/y'))).toMatchObject({});
    const nobody = await sim.client('d');
    expect(await outcome(nobody.persistent('/w', '', acl))).toBe('INVALIDACL');
  });
});

test('a container is deleted once its last child is gone, and its numbers restart', async () => {
  const sim = new ZooKeeperWorld({ ensemble: { containerCheckMs: 500 } });

  await sim.world.run(async () => {
    const { session, sequential } = await sim.client('a').then((client) => ({
      session: client.session,
      sequential: (path: string) => client.sequential(path),
    }));
    const container = (path: string) => session.create(path, '', { mode: 'container' });
    await container('/c');
    await container('/unused');
    await session.delete(await sequential('/c/l-'));
    await sequential('/c/l-').then((path) => session.delete(path));
    await sim.world.advance(600);
    expect(await outcome(session.read('/c'))).toBe('NONODE');
    expect(await outcome(session.read('/unused'))).toMatchObject({ data: '' });

    await container('/c');
    expect(await sequential('/c/l-')).toBe('/c/l-0000000000');
  });
});

test('replies come in the order of the requests, so that a read behind a write sees it', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const { session } = await sim.clientAt('a', 1);
    const answers: string[] = [];
    const note = (name: string) => () => void answers.push(name);
    const looked = session.existsWatch('/x', () => {}).then(note('before'));
    const created = session.create('/x', 'new', { mode: 'persistent' }).then(note('created'));
    const read = session.read('/x').then((content) => note(content.data)());
    await Promise.all([read, created, looked]);

    expect(answers).toEqual(['before', 'created', 'new']);
  });
});

test('one server alone is an ensemble', async () => {
  const sim = new ZooKeeperWorld({ ensemble: { size: 1 } });

  await sim.world.run(async () => {
    const a = await sim.client('a');
    const beganMs = sim.world.nowMs;
    await a.persistent('/x');

    expect(sim.world.nowMs - beganMs).toBe(2);
  });
});
