import { Session } from '@holdfast/zk-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ZooKeeperEnsemble } from '../../../../harness/src/servers/zookeeper/real/zookeeper-ensemble.ts';
import { become, failureOf } from './support/zk-client-world.ts';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await ZooKeeperEnsemble.start();
});
afterAll(() => ensemble.close());

const sessions: Session[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});

async function open(servers: readonly string[] = ensemble.addresses): Promise<Session> {
  const session = await Session.open({ servers, sessionTimeoutMs: 20_000 });
  sessions.push(session);
  return session;
}

const serverOf = (session: Session) => {
  const server = ensemble.servers.find(({ address }) => address === session.address);
  if (server === undefined) throw new Error('it talks to none of ours');
  return server;
};

/** Until the request is answered; what is refused or in doubt meanwhile is asked again. */
async function untilAnswered<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!/NOT_SENT|DISCONNECTED|UNKNOWN_OUTCOME/.test((error as { code: string }).code))
        throw error;
      await new Promise((done) => setTimeout(done, 5));
    }
  }
}

test('a session moves to another server with its nodes and its watches, and is re-validated there', async () => {
  const session = await open();
  const observer = await open();
  const before = session.validated.monotonicMs;
  await session.create('/mine', '', { mode: 'ephemeral' });
  const told = new Promise<string>((done) => {
    void session.existsWatch('/theirs', ({ type }) => done(type));
  });
  await session.sync('/');
  const home = serverOf(session);

  home.kill();
  await become(session, 'disconnected');
  await become(session, 'connected');
  expect(session.address).not.toBe(home.address);
  expect(session.validated.monotonicMs).toBeGreaterThan(before);
  await untilAnswered(() => observer.create('/theirs', '', { mode: 'ephemeral' }));

  expect(await told).toBe('created');
  const { stat } = await untilAnswered(() => session.exists('/mine'));
  expect(stat?.ephemeralOwner).toBe(session.id);
  await home.restart();
});

test('a leader that is killed costs a session nothing but the election', async () => {
  const session = await open();
  const states: string[] = [];
  session.onState((state) => states.push(state));
  const leader = await ensemble.leader();
  if (leader === undefined) throw new Error('nobody leads');

  leader.kill();
  // A follower finds out first; until then it may take the request and lose it.
  const { path } = await untilAnswered(() =>
    session.create('/after-', '', { mode: 'ephemeral-sequential' }),
  );

  expect((await untilAnswered(() => session.exists(path))).stat?.ephemeralOwner).toBe(session.id);
  expect(states).not.toContain('expired');
  await leader.restart();
});

test('without a majority requests are refused or in doubt, and the session goes on when it is back', async () => {
  const session = await open();
  await session.create('/mine', '', { mode: 'ephemeral' });
  const [first, second] = ensemble.servers;
  if (first === undefined || second === undefined) throw new Error('three servers');

  for (const server of [first, second]) server.kill();
  await become(session, 'disconnected');
  expect((await failureOf(session.sync('/'))).code).toBe('DISCONNECTED');
  await Promise.all([first.restart(), second.restart()]);
  await become(session, 'connected');

  const { stat } = await untilAnswered(() => session.exists('/mine'));
  expect(stat?.ephemeralOwner).toBe(session.id);
});

test('a read after sync sees what another server had acknowledged', async () => {
  const writers = await Promise.all(ensemble.addresses.map((address) => open([address])));
  const { path } = await untilAnswered(
    () =>
      writers[0]?.create('/seen-', '0', { mode: 'ephemeral-sequential' }) ??
      Promise.reject(new Error('three servers')),
  );

  for (let i = 1; i <= 60; i++) {
    const [writer, reader] = [writers[i % 3], writers[(i + 1) % 3]];
    if (writer === undefined || reader === undefined) throw new Error('three servers');
    const { data } = await untilAnswered(async () => {
      await writer.setData(path, `${i}`);
      await reader.sync(path);
      return reader.getData(path);
    });
    expect(new TextDecoder().decode(data)).toBe(`${i}`);
  }
});
