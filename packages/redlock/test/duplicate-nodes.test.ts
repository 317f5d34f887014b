import { BackendUnavailableError } from '@holdfast/core';
import { NodeDoubt, NodeUnavailable } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { Bench, CALL_MS, TTL_MS } from './support/bench.ts';
import type { VotingNode } from './support/voting-node.ts';

type Server = Pick<VotingNode, 'script' | 'command'>;

/** Never replies. */
const SILENT: Server = {
  script: () => new Promise(() => {}),
  command: () => new Promise(() => {}),
};

/** The server to which a node is connected. */
function serverOf(node: VotingNode | undefined): Server {
  if (node === undefined) throw new Error('no such node');
  return { script: node.script.bind(node), command: node.command.bind(node) };
}

/** From now on the address leads to another server; returns a function that ends that. */
function leadTo(node: VotingNode | undefined, server: Server | undefined): () => void {
  if (node === undefined || server === undefined) throw new Error('no such node');
  const own = serverOf(node);
  node.script = server.script.bind(server);
  node.command = server.command.bind(server);
  node.connections += 1;
  return () => void Object.assign(node, own, { connections: node.connections + 1 });
}

/** Each leads to the server of the other from now on. */
function exchange(one: VotingNode | undefined, two: VotingNode | undefined): void {
  if (one === undefined || two === undefined) throw new Error('no such node');
  const first = { script: one.script.bind(one), command: one.command.bind(one) };
  leadTo(one, two);
  Object.assign(two, first, { connections: two.connections + 1 });
}

function restart(node: VotingNode | undefined): void {
  if (node === undefined) throw new Error('no such node');
  node.lose();
  node.runId += 'again';
  node.connections += 1;
}

const warnings = (at: Bench): string[] =>
  at.events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));

test('what stands on a node names its place in the list, and the lease does not', async () => {
  const at = await Bench.open(3);

  const grant = await at.take('a');

  expect(grant.owner).toBe('a:1:box');
  expect(at.nodes.map(({ stored }) => stored)).toEqual(['a.1:1:box', 'a.2:1:box', 'a.3:1:box']);
});

test('two of three addresses that have become one server have one vote between them in a renewal', async () => {
  const at = await Bench.open(3);
  const grant = await at.take('a');
  const [one, two, three] = at.nodes;
  if (three !== undefined) three.isDown = true;

  leadTo(two, one);

  expect(await at.round(grant)).not.toBe('renewed');
  expect(warnings(at)).toEqual(['same-server']);
});

test('a node that has become another one of the list votes no more, and does so again as itself', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  if (three !== undefined) three.isDown = true;
  const script = two?.script.bind(two);
  const command = two?.command.bind(two);

  leadTo(two, one);
  expect((await at.attempt(at.contend('a'))).kind).not.toBe('granted');
  expect((await at.backend.health?.())?.nodes.map(({ ok }) => ok)).toEqual([true, false, false]);
  Object.assign(two ?? {}, { script, command, connections: 9 });
  await at.runtime.pass(10 * TTL_MS);

  expect((await at.attempt(at.contend('b'))).kind).toBe('granted');
  expect((await at.backend.health?.())?.nodes.map(({ ok }) => ok)).toEqual([true, true, false]);
  expect(warnings(at)).toEqual(['same-server']);
});

test('health says of a node that has become another one of the list which that is', async () => {
  const at = await Bench.open(3);
  const [one, two] = at.nodes;

  leadTo(two, one);
  await at.attempt(at.contend('a'));

  const detail = 'n1:6379 and n2:6379 are one and the same server, which would vote twice';
  expect((await at.backend.health?.())?.nodes[1]).toMatchObject({
    node: 'n2:6379',
    ok: false,
    detail,
  });
});

test('health counts no node that has become another one of the list, although nobody has asked for its vote since', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  if (three !== undefined) three.isDown = true;

  leadTo(two, one);

  const health = await at.backend.health?.();
  expect(health?.ok).toBe(false);
  expect(health?.nodes.map(({ ok }) => ok)).toEqual([true, false, false]);
});

test('a node that becomes another one of the list once more is warned of once more', async () => {
  const at = await Bench.open(3);
  const [one, two] = at.nodes;
  const own = serverOf(two);

  leadTo(two, one);
  await at.attempt(at.contend('a'));
  leadTo(two, own);
  await at.attempt(at.contend('b'));
  leadTo(two, one);
  await at.attempt(at.contend('c'));

  expect(warnings(at)).toEqual(['same-server', 'same-server']);
});

test('a node that has become another one of the list is not asked whether it is still what it was', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  const own = serverOf(two);
  leadTo(two, one);
  await at.attempt(at.contend('a'));
  await at.runtime.pass(TTL_MS);

  leadTo(three, own);
  leadTo(two, SILENT);

  expect((await at.attempt(at.contend('b'))).kind).toBe('granted');
});

test('all who wait for a node that has connected anew look at it once, also where the look fails', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  if (one === undefined || two === undefined || three === undefined) throw new Error('no node');
  three.isDown = true;
  let looks = 0;
  const gone = new NodeUnavailable('it has gone again');
  leadTo(two, {
    script: () => Promise.reject(gone),
    command: async ([name]) => {
      if (name === 'INFO') looks += 1;
      await new Promise<void>((resume) => at.runtime.timer(5, resume));
      throw gone;
    },
  });

  const attempts = ['k', 'other'].map((key) =>
    at.backend.contend({ key, contender: key, ttlMs: TTL_MS }).attempt(Number.MAX_SAFE_INTEGER),
  );

  expect((await at.let(Promise.all(attempts))).map(({ kind }) => kind)).toEqual([
    'unavailable',
    'unavailable',
  ]);
  expect(looks).toBe(1);
});

test('a vote that went out on a connection made meanwhile does not count before the node is looked at', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  if (three !== undefined) three.isDown = true;
  const first = two?.script.bind(two);
  if (two === undefined || first === undefined) throw new Error('no such node');
  // It connects anew after the request was sent to the known server, and then leads to the first node.
  two.script = async (named, keys, args, options) => {
    if (named.name !== 'acquire') return await first(named, keys, args, options);
    one?.lose();
    leadTo(two, one);
    return await two.script(named, keys, args, options);
  };

  const attempt = await at.attempt(at.contend('a'));

  expect(attempt.kind).not.toBe('granted');
});

test('a vote that was given to another node of the list is in doubt until it is known to be gone', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  if (two === undefined || three === undefined) throw new Error('no node');
  three.isDown = true;
  const first = two.script.bind(two);
  two.script = async (named, keys, args, options) => {
    if (named.name !== 'acquire') return await first(named, keys, args, options);
    one?.lose();
    leadTo(two, one);
    const reply = await two.script(named, keys, args, options);
    two.script = () => Promise.reject(new NodeDoubt('no reply', 'none', Promise.resolve(false)));
    return reply;
  };
  const contender = at.contend('a');

  await at.attempt(contender);

  expect(await at.let(contender.withdraw())).toMatchObject({ kind: 'unknown' });
});

test('the vote of one place counts once, though a server that tells no run id shows it behind two addresses', async () => {
  const at = await Bench.open(3);
  for (const node of at.nodes.slice(0, 2)) node.give('a.1:1:box', TTL_MS);

  expect(await at.backend.inspect?.('k')).toEqual({ key: 'k', held: false });
});

test('nodes that restart one after another go on voting, and nobody is warned', async () => {
  const at = await Bench.open(3);
  const grant = await at.take('a');

  for (const node of at.nodes) {
    restart(node);
    expect(await at.round(grant)).toBe('renewed');
    expect(await at.round(grant)).toBe('renewed');
  }

  expect(at.owners).toEqual(['a:2:box', 'a:3:box', 'a:4:box']);
  expect(warnings(at)).toEqual([]);
});

test('what was given by nodes that have restarted without it is not held, beyond doubt', async () => {
  const at = await Bench.open(3);
  const grant = await at.take('a');
  for (const node of at.nodes) restart(node);

  expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
});

test('two nodes that are themselves again do not say of votes given by the other that they are gone', async () => {
  const at = await Bench.open(3);
  const [, two, three] = at.nodes;
  const [second, third] = [serverOf(two), serverOf(three)];
  const ends = [leadTo(two, third), leadTo(three, second)];
  const grant = await at.take('a');

  for (const end of ends) end();

  expect((await at.let(grant.release())).kind).toBe('unknown');
});

test('a node that became another as it was asked says nothing, as itself again, of the vote that was given', async () => {
  const at = await Bench.open(3);
  const [, two, three] = at.nodes;
  if (two === undefined) throw new Error('no node');
  const [second, third] = [serverOf(two), serverOf(three)];
  const ends: (() => void)[] = [];
  two.script = async (...question) => {
    Object.assign(two, second);
    ends.push(leadTo(two, third), leadTo(three, second));
    return await two.script(...question);
  };
  const grant = await at.take('a');
  for (const end of ends) end();

  expect(await at.round(grant)).toBe('unknown');
  expect(at.reported).not.toContain('n2 gone');
});

test('a node that has connected anew is looked at once it has renewed, and not only when it is to vote', async () => {
  const at = await Bench.open(3);
  const [one] = at.nodes;
  const grant = await at.take('a');
  const own = serverOf(one);
  let looks = 0;
  leadTo(one, {
    ...own,
    command: async (args, options) => {
      if (args[0] === 'INFO') looks += 1;
      return await own.command(args, options);
    },
  });

  expect(await at.round(grant)).toBe('renewed');
  expect(looks).toBe(1);
});

test('servers that tell no run id are not taken for one another', async () => {
  const at = await Bench.open(3);
  for (const node of at.nodes) {
    node.command = ([name]) =>
      Promise.resolve(name === 'INFO' ? 'redis_version:7.0.0\r\nrole:master' : []);
    node.connections += 1;
  }

  expect((await at.attempt(at.contend('a'))).kind).toBe('granted');
  expect(warnings(at)).toEqual([]);
});

test('two nodes that have changed places vote, and nobody is warned', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  if (one === undefined || two === undefined || three === undefined) throw new Error('no node');
  three.isDown = true;
  const { runId } = one;
  Object.assign(one, { runId: two.runId, connections: 2 });
  Object.assign(two, { runId, connections: 2 });

  expect((await at.attempt(at.contend('a'))).kind).toBe('granted');
  expect(warnings(at)).toEqual([]);
});

test('one server behind all addresses is no majority to whoever looks, or removes a hold', async () => {
  const at = await Bench.open(3);
  await at.take('a');
  const [one, two, three] = at.nodes;

  leadTo(two, one);
  leadTo(three, one);

  await expect(at.backend.inspect?.('k')).rejects.toThrow(BackendUnavailableError);
  expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
});

test('votes of an older release, which name no place, are shown and counted as they are', async () => {
  const at = await Bench.open(3);
  for (const node of at.nodes) node.give('old:1:their box', TTL_MS);

  expect(await at.backend.inspect?.('k')).toMatchObject({
    held: true,
    owner: 'old:1:their box',
    holder: 'their box',
  });
  expect((await at.attempt(at.contend('a'))).kind).toBe('busy');
});

test('a look at a node that was cut short by a short ttl says nothing to who has more time', async () => {
  const at = await Bench.open(3);
  for (const node of at.nodes.slice(0, 2)) {
    const command = node.command.bind(node);
    node.connections += 1;
    node.command = async (args, options) => {
      const leftMs = options.deadlineMs - at.runtime.now().monotonicMs;
      const isLate = leftMs < 15;
      // A timer may ring up to a millisecond early.
      await new Promise<void>((resume) => at.runtime.timer(isLate ? leftMs - 1 : 15, resume));
      if (isLate) throw new Error('no reply by the deadline');
      return await command(args, options);
    };
  }

  const short = at.backend.contend({ key: 's', contender: 'short', ttlMs: 100 });
  const long = at.backend.contend({ key: 'k', contender: 'long', ttlMs: 30_000 });
  const attempts = [short, long].map((each) => each.attempt(Number.MAX_SAFE_INTEGER));

  expect((await at.let(Promise.all(attempts))).map(({ kind }) => kind)).toEqual([
    'unavailable',
    'granted',
  ]);
});

test('a renewal that twins answer leaves the lease in doubt, and the nodes themselves renew it again', async () => {
  const at = await Bench.open(3);
  const grant = await at.take('a');
  const [one, two, three] = at.nodes;
  const pointBack = [two, three].map((node) => leadTo(node, one));
  expect(await at.round(grant)).toBe('unknown');
  for (const back of pointBack) back();

  expect(await at.round(grant)).toBe('renewed');
});

test('a release that twins answer is sent again, until the nodes themselves do', async () => {
  const at = await Bench.open(3);
  const grant = await at.take('a');
  const [one, two, three] = at.nodes;
  const pointBack = [two, three].map((node) => leadTo(node, one));
  expect((await at.let(grant.release())).kind).toBe('unknown');
  for (const back of pointBack) back();
  await at.runtime.pass(TTL_MS / 2);

  expect(at.owners).toEqual([undefined, undefined, undefined]);
});

test('nodes that have changed places say nothing of the votes that each of them gave', async () => {
  const at = await Bench.open(3);
  const grant = await at.take('a');
  const [one, two] = at.nodes;
  if (one === undefined || two === undefined) throw new Error('no node');

  one.give('a.2:1:box', TTL_MS);
  two.give('a.1:1:box', TTL_MS);
  Object.assign(one, { runId: two.runId, connections: 2 });
  Object.assign(two, { runId: 'n1:6379', connections: 2 });

  expect(await at.round(grant)).toBe('unknown');
  expect(await at.round(grant)).toBe('unknown');
});

test('votes of nodes that have changed places for good come back once those that they gave must be gone', async () => {
  const at = await Bench.open(5);
  const grant = await at.take('a');
  const [one, two] = at.nodes;
  exchange(one, two);

  for (let passedMs = 0; passedMs < 3 * TTL_MS; passedMs += 2 * CALL_MS)
    expect(await at.round(grant)).toBe('renewed');

  expect(at.owners).not.toContain(undefined);
});

test('nodes that changed places for good, and restart one after another, cost no lease', async () => {
  const at = await Bench.open(3);
  const [one, two] = at.nodes;
  exchange(one, two);
  const grant = await at.take('a');

  for (const server of [one, two]) {
    restart(server);
    for (const address of [one, two]) if (address !== undefined) address.connections += 1;
    for (let passedMs = 0; passedMs < 2 * TTL_MS; passedMs += 2 * CALL_MS)
      expect(await at.round(grant)).toBe('renewed');
  }

  expect(at.owners).not.toContain(undefined);
});

test('a vote that went out on a connection on which its node was looked at meanwhile is known to be of that server', async () => {
  const at = await Bench.open(3);
  const [one, two] = at.nodes;
  if (one === undefined || two === undefined) throw new Error('no such node');
  const own = one.script.bind(one);
  // It is sent once more on the next connection, as after NOSCRIPT, behind another caller's check.
  one.script = async (named, keys, args, options) => {
    one.script = own;
    exchange(one, two);
    await at.backend.inspect?.('k');
    return await one.script(named, keys, args, options);
  };
  const grant = await at.take('a');
  exchange(one, two);

  await at.let(grant.release());
  exchange(one, two);
  await at.runtime.pass(TTL_MS / 2);

  expect(at.owners).toEqual([undefined, undefined, undefined]);
});

test('a vote does not count whose node has connected anew before it was looked at', async () => {
  const at = await Bench.open(3);
  const [one, two, three] = at.nodes;
  if (one === undefined || two === undefined || three === undefined)
    throw new Error('no such node');
  three.isDown = true;
  const own = { script: two.script.bind(two), command: two.command.bind(two) };
  two.script = async (named, keys, args, options) => {
    const reply = await own.script(named, keys, args, options);
    if (named.name === 'acquire') two.connections += 1;
    return reply;
  };
  // The check uses a still later connection.
  two.command = (args, options) => {
    two.connections += 1;
    return own.command(args, options);
  };

  expect((await at.attempt(at.contend('a'))).kind).not.toBe('granted');
});
