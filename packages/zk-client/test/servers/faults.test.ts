import { connect, createServer } from 'node:net';
import type { Session, SessionState } from '@holdfast/zk-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { become, failureOf, World } from './support/zk-client-world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());
afterEach(() => world.tidy());

const T = 2_000;

/** Long enough for any pause of a busy machine. */
const PATIENT = { sessionTimeoutMs: 20_000 };

/** Through the proxy. */
function openThrough(options: object = {}): Promise<Session> {
  return world.open({ servers: [world.proxied], sessionTimeoutMs: T, ...options });
}

function statesOf(session: Session): SessionState[] {
  const states: SessionState[] = [];
  session.onState((state) => states.push(state));
  return states;
}

/** Resolves once the server watches; `event`, when the watch fires. */
function changeOf(session: Session, path: string): Promise<{ event: Promise<string> }> {
  return new Promise((watching, fail) => {
    const event = new Promise<string>((done) => {
      session.existsWatch(path, ({ type }) => done(type)).then(() => watching({ event }), fail);
    });
  });
}

describe('a request whose reply is lost', () => {
  test('is in doubt although it was applied; the session continues and owns what it created', async () => {
    const session = await openThrough(PATIENT);
    const observer = await world.open();
    const created = await changeOf(observer, '/a');
    world.proxy.cut('down');

    const error = failureOf(session.create('/a', '', { mode: 'ephemeral' }));
    await created.event;
    world.proxy.reset();
    world.proxy.heal();

    expect((await error).code).toBe('UNKNOWN_OUTCOME');
    await become(session, 'connected');
    expect((await session.exists('/a')).stat?.ephemeralOwner).toBe(session.id);
  });

  test('is in doubt two thirds of the session timeout after the server fell silent, at the latest', async () => {
    const session = await openThrough({ sessionTimeoutMs: 600 });
    world.proxy.cut();

    const error = await failureOf(session.sync('/'));

    expect(error.code).toBe('UNKNOWN_OUTCOME');
    expect(String(error.cause)).toContain('silent');
  });
});

describe('a partition', () => {
  test('longer than the session: only the server reports the expiry, when it is over', async () => {
    const session = await openThrough();
    const states = statesOf(session);
    await session.create('/a', '', { mode: 'ephemeral' });
    const ended = await changeOf(session, '/b');
    const gone = await changeOf(await world.open({ sessionTimeoutMs: 30_000 }), '/a');

    world.proxy.cut();
    await gone.event;
    expect(session.state).toBe('disconnected');
    expect((await failureOf(session.exists('/a'))).code).toBe('DISCONNECTED');
    world.proxy.heal({ drop: true });

    await become(session, 'expired');
    expect(await ended.event).toBe('session-ended');
    expect(states).toEqual(['disconnected', 'expired']);
    expect((await failureOf(session.exists('/a'))).code).toBe('EXPIRED');
  });

  test('shorter than the session: it continues, and watches report what happened meanwhile', async () => {
    const session = await openThrough(PATIENT);
    const events: string[] = [];
    await session.existsWatch('/a', ({ type }) => events.push(type));
    await session.getChildrenWatch('/', ({ type }) => events.push(type));
    world.proxy.cut();
    world.proxy.reset('client');
    const observer = await world.open();
    await observer.create('/a', '');
    world.proxy.heal({ drop: true });

    await become(session, 'connected');
    await session.sync('/');

    expect(events.toSorted()).toEqual(['children', 'created']);
  });
});

describe('a server that is', () => {
  test('killed and started again: the session continues with its nodes', async () => {
    const session = await world.open(PATIENT);
    const states = statesOf(session);
    await session.create('/a', '', { mode: 'ephemeral' });

    world.server.kill();
    await become(session, 'disconnected');
    await world.server.restart();
    await become(session, 'connected');

    expect((await session.exists('/a')).stat?.ephemeralOwner).toBe(session.id);
    expect(states).toEqual(['disconnected', 'connected']);
  });

  test('paused for less than the session: only waiting requests notice', async () => {
    const session = await world.open(PATIENT);
    const states = statesOf(session);
    world.server.stop();
    const looked = session.exists('/');
    await new Promise((done) => setTimeout(done, 500));
    world.server.resume();

    expect((await looked).stat).toBeDefined();
    expect(states).toEqual([]);
  });

  test('paused when a client connects: the client tries one that replies', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const openings = Array.from({ length: 8 }, () =>
      world.open({ servers: [`127.0.0.1:${address.port}`, world.server.address] }),
    );

    const sessions = await Promise.all(openings);

    expect(sessions.map((session) => session.address)).toEqual(
      sessions.map(() => world.server.address),
    );
    silent.close();
  });

  test('behind what the client has seen: refused by the server, and the next one is tried', async () => {
    const [one, other] = await Promise.all([World.start(), World.start()]);
    try {
      const session = await one.open({
        servers: [one.server.address, other.server.address],
        ...PATIENT,
      });
      const home = session.address === one.server.address ? one : other;
      for (let i = 0; i < 20; i++) await session.sync('/').then(() => session.setData('/', `${i}`));

      home.server.kill();
      await become(session, 'disconnected');
      await home.server.restart();
      await become(session, 'connected');

      expect(session.address).toBe(home.server.address);
      expect((await session.exists('/')).stat?.version).toBeGreaterThanOrEqual(20);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
});

test('an unreachable server ends the opening at its deadline, with the reason', async () => {
  const closed = createServer();
  await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done));
  const address = closed.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await new Promise((done) => closed.close(done));

  const error = await failureOf(
    world.open({ servers: [`127.0.0.1:${address.port}`], openMs: 200 }),
  );

  expect(error.code).toBe('NO_SERVER');
  expect(error.message).toContain('ECONNREFUSED');
});

test('closing a session whose server is silent ends at its limit and leaves the event loop free', async () => {
  const session = await openThrough();
  world.proxy.cut();
  let turns = 0;
  const turning = setInterval(() => turns++, 10);

  await session.close({ timeoutMs: 300 });
  clearInterval(turning);

  expect(session.state).toBe('closed');
  expect(turns).toBeGreaterThan(0);
});

test('IPv6 addresses are reached', async () => {
  const bridge = createServer((client) => {
    const server = connect(world.server.port, '127.0.0.1');
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((done, fail) => bridge.once('error', fail).listen(0, '::1', done));
  const address = bridge.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const session = await world.open({ servers: [`[::1]:${address.port}`] });

  expect(session.address).toBe(`[::1]:${address.port}`);
  await session.close();
  bridge.close();
});
