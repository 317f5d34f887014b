import type { Writer } from '@holdfast/zk-client/jute';
import { expect, test } from 'vitest';
import { RawConnection } from './support/raw-connection.ts';
import { ZooKeeperWorld } from './support/zookeeper-world.ts';

const PING = [-2, 11] as const;
const AUTH = [-4, 100] as const;
const GET_DATA = 4;
const EXISTS = 3;
const GET_CHILDREN2 = 12;
const DELETE = 2;
const SYNC = 9;
const SET_WATCHES = 101;
const NOAUTH = -102;
const nothing = (writer: Writer): Writer => writer;

const readX = (writer: Writer): Writer => writer.string('/x').bool(false);

function digest(user: string): (writer: Writer) => Writer {
  return (writer) => writer.int(0).string('digest').string(`${user}:${user}`);
}

test('a session is found by its id and its password, and by nothing else', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const process = sim.world.process('a');
    const session = await new RawConnection(sim, process).openSession();
    const wrong = { id: session.id, password: session.password.map((byte) => byte ^ 1) };

    expect(session.id).not.toBe(0n);
    expect((await new RawConnection(sim, process, 2).openSession(wrong)).id).toBe(0n);
    expect(await new RawConnection(sim, process, 2).openSession(session)).toEqual(session);
  });
});

test('some replies arrive in two pieces, others whole', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const connection = new RawConnection(sim, sim.world.process('a'));
    await connection.openSession();
    for (let i = 0; i < 100; i++) expect(await connection.request(...PING, nothing)).toBe(0);

    expect(new Set(connection.pieces)).toEqual(new Set([1, 2]));
  });
});

test('a client’s authentication counts for that connection, not for its session', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const process = sim.world.process('a');
    const owner = await sim.client('owner', { identity: 'me' });
    await owner.persistent('/x', '', [{ who: 'creator', may: ['read'] }]);
    const first = new RawConnection(sim, process, 1);
    const session = await first.openSession();
    await first.request(...AUTH, digest('me'));
    await first.request(1, SYNC, (writer) => writer.string('/x'));
    expect(await first.request(2, GET_DATA, readX)).toBe(0);
    await first.close();

    const second = new RawConnection(sim, process, 1);
    await second.openSession(session);
    expect(await second.request(3, GET_DATA, readX)).toBe(NOAUTH);
    await second.request(...AUTH, digest('me'));
    expect(await second.request(4, GET_DATA, readX)).toBe(0);
  });
});

test('the server forgets removed watches, too', async () => {
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const { session } = await sim.clientAt('a', 1);
    const watched = await session.existsWatch('/x', () => {});
    expect(sim.server(1).watches).toBe(1);

    watched.unwatch();
    await sim.world.advance(100);

    expect(sim.server(1).watches).toBe(0);
  });
});

test.for<readonly [what: string, type: number, body: (writer: Writer) => Writer, why: RegExp]>([
  ['of an unknown type', 14, nothing, /request type 14 is not simulated/],
  [
    'to delete one version',
    DELETE,
    (w) => w.string('/x').int(3),
    /deletions of one version are not simulated/,
  ],
  ['to watch data', GET_DATA, (w) => w.string('/x').bool(true), /only exists may set a watch/],
  ['to look without a watch', EXISTS, (w) => w.string('/x').bool(false), /and has to/],
  [
    'to watch children',
    GET_CHILDREN2,
    (w) => w.string('/x').bool(true),
    /only exists may set a watch/,
  ],
  [
    'to watch children again',
    SET_WATCHES,
    (w) =>
      w
        .long(0n)
        .int(0)
        .int(0)
        .vector(['/x'], (path, each) => void each.string(path)),
    /watches on children are not simulated/,
  ],
])('a request %s is refused loudly: the simulator would answer it wrongly', async (given) => {
  const [, type, body, why] = given;
  const sim = new ZooKeeperWorld();

  await sim.world.run(async () => {
    const connection = new RawConnection(sim, sim.world.process('a'));
    await connection.openSession();
    const asked = connection.call((writer) => body(writer.int(1).int(type)));

    await expect(asked).rejects.toThrow(why);
  });
});
