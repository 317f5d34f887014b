import { createHost } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { NodeReplyError, NodeUnavailable, type RedisNode, type Reply } from '../src/port.ts';
import { healthOf, singleNodeHealth } from '../src/recipe/operator.ts';

const [UNKNOWN, DENIED] = ["ERR unknown command 'HELLO'", 'NOPERM HELLO'].map((text) =>
  Promise.reject(new NodeReplyError(text.slice(0, text.indexOf(' ')), text)),
);
UNKNOWN?.catch(() => undefined);
DENIED?.catch(() => undefined);

const hello = (role: string): Reply => ['server', 'redis', 'proto', 2, 'role', role];

/** The health of a node that replies to each command as given. */
async function health(answers: Readonly<Record<string, Reply | Promise<Reply>>>): Promise<unknown> {
  const command = async ([name = '']: readonly string[]): Promise<Reply> =>
    (await answers[name]) ?? Promise.reject(new NodeUnavailable('not connected'));
  const node = { address: 'n:1', command } as unknown as RedisNode;
  const { roundTripMs: _, ...told } = await healthOf(node, createHost());
  return told;
}

test('a master is well', async () => {
  expect(await health({ HELLO: hello('master') })).toEqual({ node: 'n:1', ok: true });
});

test('a replica is not, though it answers, and says why', async () => {
  const told = { node: 'n:1', ok: false, detail: 'is a replica, which takes no writes' };

  expect(await health({ HELLO: hello('replica') })).toEqual(told);
});

test('where a proxy knows no HELLO, a PING has to do', async () => {
  expect(await health({ HELLO: UNKNOWN!, PING: 'PONG' })).toMatchObject({ ok: true });
  expect(await health({ HELLO: UNKNOWN! })).toMatchObject({ ok: false, detail: 'not connected' });
});

test('a proxy that replies to PING with anything but PONG is not healthy', async () => {
  const told = { ok: false, detail: expect.stringContaining('PING') };

  expect(await health({ HELLO: UNKNOWN!, PING: 'QUEUED' })).toMatchObject(told);
});

test.each(['master', 'replica'])(
  'the health of a %s contains the time of its round trip',
  async (role) => {
    const command = (): Promise<Reply> => Promise.resolve(hello(role));
    const node = { address: 'n:1', command } as unknown as RedisNode;

    expect(await healthOf(node, createHost())).toHaveProperty('roundTripMs', expect.any(Number));
  },
);

test('a master that is loading its data is not, and a user who may not send PING learns less', async () => {
  const loading = Promise.reject(new NodeReplyError('LOADING', 'LOADING the dataset in memory'));
  loading.catch(() => undefined);
  const told = { ok: false, detail: expect.stringContaining('LOADING') };

  expect(await health({ HELLO: hello('master'), PING: loading })).toMatchObject(told);
  expect(await health({ HELLO: hello('master'), PING: DENIED! })).toMatchObject({ ok: true });
});

test('whatever else it answers, or does not, is told', async () => {
  const refused = { ok: false, detail: expect.stringContaining('NOPERM') };

  expect(await health({ HELLO: DENIED!, PING: 'PONG' })).toMatchObject(refused);
  expect(await health({})).toMatchObject({ ok: false, detail: 'not connected' });
});

test('a cluster is as well as its masters, each of which is told', async () => {
  const up = { address: 'a:1', command: () => Promise.resolve(hello('master')) };
  const down = { address: 'b:1', command: () => Promise.reject(new NodeUnavailable('gone')) };
  const cluster = { masters: () => Promise.resolve([up, down]) };
  const node = { address: 'c:1', cluster } as unknown as RedisNode;

  expect(await singleNodeHealth(node, createHost())).toMatchObject({
    ok: false,
    nodes: [
      { node: 'a:1', ok: true },
      { node: 'b:1', ok: false, detail: 'gone' },
    ],
  });
});
