import { ConfigError, InvalidOptionError, type LockEvent } from '@holdfast/core';
import { type Host } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { openRedlock } from '../src/open.ts';
import { Bench } from './support/bench.ts';
import { VotingNode } from './support/voting-node.ts';

const runtime = new VirtualRuntime();

function listen(): { readonly host: Host; readonly events: LockEvent[] } {
  const events: LockEvent[] = [];
  return { events, host: { runtime, label: 'box', emit: (event) => void events.push(event) } };
}

const some = (...addresses: string[]): VotingNode[] =>
  addresses.map((address) => new VotingNode(runtime, address));

describe('before anything is sent', () => {
  test.each<[string, RegExp, object]>([
    [
      'a node listed twice',
      /a:6379 is listed twice/,
      { nodes: some('a:6379', 'b:6379', 'a:6379') },
    ],
    [
      'a node under two names of this machine',
      /localhost:7000 and 127\.0\.0\.1:7000 are the same/,
      { nodes: some('localhost:7000', '127.0.0.1:7000', '[::1]:7001') },
    ],
    [
      'two databases of one server',
      /a:6379 and a:6379\/1 are the same/,
      { nodes: some('a:6379', 'a:6379/1', 'b:6379') },
    ],
    [
      'two databases behind one socket',
      /\/run\/r\.sock and \/run\/r\.sock\?db=1 are the same/,
      { nodes: some('/run/r.sock', '/run/r.sock?db=1', 'b:6379') },
    ],
    [
      'one server with and without its default port',
      /host\.invalid:6379 is listed twice/,
      { sources: ['redis://host.invalid', 'redis://host.invalid:6379', 'redis://b.invalid'] },
    ],
    [
      'names that resolve to one address',
      /127\.1:7000 and 127\.0\.0\.1:7000 are the same server/,
      { sources: ['redis://127.1:7000', 'redis://127.0.0.1:7000', 'redis://b.invalid'] },
    ],
    [
      'a cluster that is open already',
      /a:1 is a cluster/,
      { nodes: some('a:1', 'b:1', 'c:1').map((node) => Object.assign(node, { cluster: {} })) },
    ],
    ['two nodes', /too few/, { nodes: some('a:1', 'b:1') }],
    ['no node, even if small is allowed', /too few/, { nodes: [], allowSmall: true }],
    ['a quorum', /quorum cannot be chosen/, { nodes: some('a:1', 'b:1', 'c:1'), quorum: 1 }],
    [
      'a sentinel URL',
      /sentinels cannot be a node.*lacks the votes/,
      { sources: ['redis+sentinel://a', 'redis://b.invalid', 'redis://c.invalid'] },
    ],
    [
      'a cluster client',
      /cluster cannot be a node.*lacks the votes/,
      { sources: [{ isCluster: true }, 'redis://b', 'redis://c'] },
    ],
    ['sources and nodes', /either/, { sources: [], nodes: [] }],
    ['neither', /either/, {}],
    ['one URL instead of a list', /list/, { sources: 'redis://a' }],
  ])('%s is refused, with the reason', async (_, reason, options) => {
    const opening = openRedlock(options, listen().host);

    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(reason);
    await expect(opening).rejects.toMatchObject({ backend: 'redlock' });
  });

  test('a namespace that cannot be stored is refused', async () => {
    const opening = openRedlock({ nodes: some('a:1', 'b:1', 'c:1'), namespace: '' }, listen().host);

    await expect(opening).rejects.toThrow(InvalidOptionError);
  });

  test.each([99, 0, 1.5, Number.NaN, 86_400_001])(
    'a ttl of %s ms leaves a node no time, and is refused',
    async (ttlMs) => {
      const nodes = some('a:1', 'b:1', 'c:1');
      const backend = await openRedlock({ nodes }, listen().host);

      expect(() => backend.contend({ key: 'k', contender: 'a', ttlMs })).toThrow(
        InvalidOptionError,
      );
      expect(nodes.flatMap(({ executed }) => executed)).toEqual([]);
    },
  );
});

describe('once connected', () => {
  test('sockets whose names are numbers are servers of their own', async () => {
    const nodes = some('/run/1', '/run/2', '/run/3');

    const backend = await openRedlock({ nodes }, listen().host);

    expect(await backend.health?.()).toMatchObject({ ok: true });
  });

  test('two addresses of one server are refused', async () => {
    const nodes = [...some('a:1', 'b:1'), new VotingNode(runtime, 'proxy:1', 'a:1')];

    await expect(openRedlock({ nodes }, listen().host)).rejects.toThrow(
      /a:1 and proxy:1 are one and the same server/,
    );
  });

  test('nodes whose INFO was renamed are used, and warned of as where it is not permitted', async () => {
    const { host, events } = listen();
    const nodes = some('a:1', 'b:1', 'c:1');
    for (const node of nodes) node.isInfoRenamed = true;
    const backend = await openRedlock({ nodes }, host);

    const attempt = await backend.contend({ key: 'k', contender: 'a' }).attempt(1e9);

    expect(attempt.kind).toBe('granted');
    expect(events.map((event) => event.type === 'warning' && event.code)).toEqual(
      nodes.map(() => 'unchecked-node'),
    );
  });

  test('a replica is refused', async () => {
    const nodes = some('a:1', 'b:1', 'c:1');
    for (const node of nodes.slice(2)) node.role = 'slave';

    await expect(openRedlock({ nodes }, listen().host)).rejects.toThrow(/c:1 is a replica/);
  });

  test('a node that was down at the opening votes only after it has been looked at', async () => {
    const { host, events } = listen();
    const nodes = [...some('a:1', 'b:1', 'c:1'), new VotingNode(runtime, 'proxy:1', 'a:1')];
    for (const node of nodes.slice(3)) node.isDown = true;
    const backend = await openRedlock({ nodes }, host);
    for (const node of nodes) node.isDown = false;

    await backend.contend({ key: 'k', contender: 'a' }).attempt(Number.MAX_SAFE_INTEGER);
    await runtime.pass(0);

    expect(nodes.map(({ owner }) => owner)).toEqual(['a:1:box', 'a:1:box', 'a:1:box', undefined]);
    expect(events).toContainEqual(
      expect.objectContaining({
        node: 'proxy:1',
        cause: expect.objectContaining({ message: expect.stringContaining('one and the same') }),
      }),
    );
  });

  test('an operator learns which of the nodes may evict locks', async () => {
    const nodes = some('a:1', 'b:1', 'c:1');
    expect((await openRedlock({ nodes }, listen().host)).evicts).toBe(false);
    for (const node of nodes.slice(1)) {
      const command = node.command.bind(node);
      node.command = async (args, options) => {
        const reply = await command(args, options);
        return typeof reply === 'string' ? reply.replace('noeviction', 'allkeys-lru') : reply;
      };
    }

    const { evicts } = await openRedlock({ nodes }, listen().host);

    expect(evicts).toMatch(/^b:1 .*allkeys-lru.*; c:1 .*allkeys-lru/);
  });

  test('small is possible where it is allowed', async () => {
    const backend = await openRedlock({ nodes: some('a:1'), allowSmall: true }, listen().host);

    const attempt = await backend.contend({ key: 'k', contender: 'a' }).attempt(1e9);

    expect(attempt.kind).toBe('granted');
  });

  test('an even number of nodes is warned of', async () => {
    const { host, events } = listen();

    await openRedlock({ nodes: some('a:1', 'b:1', 'c:1', 'd:1') }, host);

    expect(events).toEqual([expect.objectContaining({ type: 'warning', code: 'even-nodes' })]);
  });

  test('nodes that are used with another list are warned of, once', async () => {
    const { host, events } = listen();
    const nodes = some('a:1', 'b:1', 'c:1', 'd:1', 'e:1');
    await openRedlock({ nodes: nodes.slice(0, 3) }, listen().host);

    await openRedlock({ nodes: nodes.slice(1, 4) }, host);

    expect(events).toEqual([
      expect.objectContaining({
        type: 'warning',
        code: 'node-list',
        message: expect.stringContaining('a:1 b:1 c:1, where this client has b:1 c:1 d:1'),
      }),
    ]);
    expect(nodes.map(({ list }) => list)).toEqual([
      'a:1 b:1 c:1',
      'a:1 b:1 c:1',
      'a:1 b:1 c:1',
      'b:1 c:1 d:1',
      undefined,
    ]);
  });
});

test('what cannot be opened says which backend it was, and how many nodes there are', async () => {
  const { host, nodes } = await Bench.open();

  await expect(openRedlock({}, host)).rejects.toMatchObject({ backend: 'redlock' });
  await expect(openRedlock({ nodes: nodes.slice(0, 1) }, host)).rejects.toThrow(
    /1 node is too few/,
  );
  await expect(openRedlock({ nodes: [] }, host)).rejects.toThrow(/0 nodes are too few/);
});
