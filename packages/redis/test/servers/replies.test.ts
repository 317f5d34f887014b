import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { classifyReply, REPLY_TABLE, type ReplyMeaning } from '../../src/index.ts';
import { NodeReplyError, type RedisNode, type Reply } from '../../src/port.ts';
import { failure, failureOf, inMs, LIBRARIES, World } from '../kit/real-node.ts';

const worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

async function start(...args: string[]): Promise<World> {
  const world = await World.start({ args });
  worlds.push(world);
  return world;
}

const SET_SCRIPT = { name: 'set', source: "return redis.call('SET', KEYS[1], ARGV[1])" };

function send(node: RedisNode, ...args: string[]): Promise<Reply> {
  return node.command(args, { deadlineMs: inMs(5_000) });
}

function runSet(node: RedisNode): Promise<Reply> {
  return node.script(SET_SCRIPT, ['k'], ['v'], { deadlineMs: inMs(5_000) });
}

/** Sends until the server replies with this code: it may need a moment to enter the state. */
async function eventually(code: string, attempt: () => Promise<Reply>): Promise<NodeReplyError> {
  let last: unknown;
  await expect
    .poll(
      async () => {
        last = await failureOf(attempt()).catch((error: unknown) => error);
        return last instanceof NodeReplyError ? last.code : last;
      },
      { timeout: 20_000 },
    )
    .toBe(code);
  if (last instanceof NodeReplyError) return last;
  throw new Error('unreachable');
}

/** For each error of the table: how to provoke it on a real server, and its meaning. */
const provoked: Record<string, readonly [ReplyMeaning, () => Promise<NodeReplyError>]> = {
  NOSCRIPT: [
    'not-applied',
    async () => {
      const world = await start();
      return failure(send(await world.open(), 'EVALSHA', '0'.repeat(40), '0'), NodeReplyError);
    },
  ],
  WRONGTYPE: [
    'refused',
    async () => {
      const world = await start();
      await world.ask('SET', 'k', 'v');
      return failure(send(await world.open(), 'LPUSH', 'k', 'v'), NodeReplyError);
    },
  ],
  'WRONGTYPE in a script': [
    'refused',
    async () => {
      const world = await start();
      const script = { name: 'push', source: "return redis.call('LPUSH', KEYS[1], 'x')" };
      await world.ask('SET', 'k', 'v');
      const node = await world.open();
      return failure(node.script(script, ['k'], [], { deadlineMs: inMs(5_000) }), NodeReplyError);
    },
  ],
  READONLY: [
    'unavailable',
    async () => {
      const [world, master] = [await start(), await start()];
      await world.ask('REPLICAOF', '127.0.0.1', `${master.server.port}`);
      return failure(runSet(await world.open()), NodeReplyError);
    },
  ],
  MASTERDOWN: [
    'unavailable',
    async () => {
      const world = await start('--replica-serve-stale-data', 'no');
      const node = await world.open();
      await world.ask('REPLICAOF', '127.0.0.1', '1');
      return eventually('MASTERDOWN', () => send(node, 'GET', 'k'));
    },
  ],
  NOREPLICAS: [
    'unavailable',
    async () => {
      const world = await start('--min-replicas-to-write', '1');
      return failure(runSet(await world.open()), NodeReplyError);
    },
  ],
  OOM: [
    'unavailable',
    async () => {
      const world = await start('--maxmemory', '1');
      return failure(runSet(await world.open()), NodeReplyError);
    },
  ],
  MISCONF: [
    'unavailable',
    async () => {
      const world = await start('--save', '1', '1', '--enable-protected-configs', 'yes');
      // No user can save a file there.
      await world.ask('CONFIG', 'SET', 'dir', '/proc');
      await world.ask('SET', 'a', 'b');
      await world.ask('BGSAVE');
      const node = await world.open();
      return eventually('MISCONF', () => runSet(node));
    },
  ],
  NOPERM: [
    'refused',
    async () => {
      const world = await start();
      await world.ask('ACL', 'SETUSER', 'reader', 'on', '>secret', '+get', '~*');
      const url = `redis://reader:secret@127.0.0.1:${world.proxy.port}`;
      return failure(send(await world.open({ source: url }), 'SET', 'k', 'v'), NodeReplyError);
    },
  ],
  NOAUTH: [
    'refused',
    async () => {
      const world = await start('--requirepass', 'secret');
      return failure(send(await world.open(), 'GET', 'k'), NodeReplyError);
    },
  ],
  WRONGPASS: [
    'refused',
    async () => {
      const world = await start('--requirepass', 'secret');
      const node = await world.open({ source: `redis://:wrong@127.0.0.1:${world.proxy.port}` });
      const unavailable = await failureOf(send(node, 'GET', 'k'));
      if (unavailable instanceof Error && unavailable.cause instanceof NodeReplyError)
        return unavailable.cause;
      throw new Error('no reply behind it', { cause: unavailable });
    },
  ],
  BUSY: [
    'unavailable',
    async () => {
      const world = await start('--busy-reply-threshold', '1');
      const node = await world.open();
      await send(node, 'PING');
      const runaway = world
        .ask('EVAL', "while true do redis.call('PING') end", '0')
        .catch(() => undefined);
      const error = await eventually('BUSY', () => runSet(node));
      await send(node, 'SCRIPT', 'KILL');
      await runaway;
      return error;
    },
  ],
  LOADING: [
    'unavailable',
    async () => {
      const world = await start(
        '--key-load-delay',
        '20000',
        '--loading-process-events-interval-bytes',
        '1024',
        '--enable-debug-command',
        'yes',
        '--rdbcompression',
        'no',
      );
      const node = await world.open();
      await send(
        node,
        'EVAL',
        "for n = 1, 300 do redis.call('SET', n, string.rep('x', 512)) end",
        '0',
      );
      const reloading = world.ask('DEBUG', 'RELOAD').catch(() => undefined);
      const error = await eventually('LOADING', () => send(node, 'GET', 'k'));
      await world.ask('CONFIG', 'SET', 'key-load-delay', '0').catch(() => undefined);
      await reloading;
      return error;
    },
  ],
  CLUSTERDOWN: [
    'unavailable',
    async () => {
      const world = await start('--cluster-enabled', 'yes');
      return failure(runSet(await world.open()), NodeReplyError);
    },
  ],
  CROSSSLOT: [
    'refused',
    async () => {
      const { owner } = await clusterPair();
      return failure(send(await owner.open(), 'MSET', 'a', '1', 'b', '2'), NodeReplyError);
    },
  ],
  TRYAGAIN: [
    'unavailable',
    async () => {
      const { owner } = await clusterPair();
      return failure(send(await owner.open(), 'MSET', '{s}a', '1', '{s}b', '2'), NodeReplyError);
    },
  ],
  ASK: [
    'refused',
    async () => {
      const { owner } = await clusterPair();
      return failure(send(await owner.open(), 'SET', '{s}b', '2'), NodeReplyError);
    },
  ],
  MOVED: [
    'refused',
    async () => {
      const { other } = await clusterPair();
      return failure(send(await other.open(), 'SET', 'a', '1'), NodeReplyError);
    },
  ],
  'ERR unknown command': [
    'refused',
    async () => {
      const world = await start();
      return failure(send(await world.open(), 'NOSUCHCOMMAND'), NodeReplyError);
    },
  ],
  'ERR max number of clients': [
    'unavailable',
    async () => {
      const world = await start('--maxclients', '1');
      await world.ask('PING');
      const node = await world.open();
      return eventually('ERR', async () => {
        const error = await failureOf(send(node, 'PING'));
        throw error instanceof Error && error.cause instanceof NodeReplyError ? error.cause : error;
      });
    },
  ],
};

/** Two servers, of which the first has all slots, and one of them, that of `{s}`, is on its way to the second. */
interface ClusterPair {
  readonly owner: World;
  readonly other: World;
}

let pair: Promise<ClusterPair> | undefined;
afterAll(async () => {
  const { owner, other } = (await pair) ?? {};
  await Promise.all([owner?.close(), other?.close()]);
});

/** Shared, because a cluster takes seconds to find itself well. */
function clusterPair(): Promise<ClusterPair> {
  pair ??= startClusterPair();
  return pair;
}

async function untilItSays(world: World, about: string, text: string): Promise<void> {
  const says = async (): Promise<boolean> =>
    String(await world.ask('CLUSTER', about)).includes(text);
  await vi.waitUntil(says, { timeout: 15_000 });
}

async function startClusterPair(): Promise<ClusterPair> {
  const args = ['--cluster-enabled', 'yes'];
  const [owner, other] = await Promise.all([World.start({ args }), World.start({ args })]);
  await owner.ask('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await other.ask('CLUSTER', 'MEET', '127.0.0.1', `${owner.server.port}`);
  const to = String(await other.ask('CLUSTER', 'MYID'));
  await untilItSays(owner, 'INFO', 'cluster_state:ok');
  await untilItSays(other, 'INFO', 'cluster_state:ok');
  await untilItSays(owner, 'NODES', to);
  await owner.ask('SET', '{s}a', '1');
  const slot = String(await owner.ask('CLUSTER', 'KEYSLOT', '{s}'));
  await owner.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to);
  return { owner, other };
}

test.each(Object.entries(provoked))(
  '%s, as a server says it, is understood',
  async (name, [meaning, provoke]) => {
    const error = await provoke();

    expect(error.code).toBe(name.split(' ')[0]);
    expect(classifyReply(error)).toBe(meaning);
  },
);

test('every row of the table but one is shown by a server', () => {
  const rows = REPLY_TABLE.map(({ code, text }) => (text === undefined ? code : `${code} ${text}`));

  // Said only to connections from elsewhere, which no test makes.
  expect(rows.filter((row) => !(row in provoked))).toEqual(['DENIED']);
});

test.each(LIBRARIES)(
  'a demoted master is left, through %s, so that its successor can be found',
  async (library) => {
    const [world, master] = [await start(), await start()];
    const node = await world.open({ library });
    expect(await runSet(node)).toBe('OK');
    const before = world.proxy.accepted;

    await world.ask('REPLICAOF', '127.0.0.1', `${master.server.port}`);
    expect((await failure(runSet(node), NodeReplyError)).code).toBe('READONLY');
    await expect.poll(() => world.proxy.accepted).toBeGreaterThan(before);
    await world.ask('REPLICAOF', 'NO', 'ONE');

    await expect.poll(() => runSet(node).catch(() => 'not yet')).toBe('OK');
  },
);
