import type { LockEvent } from '@holdfast/core';
import type { Host } from '@holdfast/core/backend';
import { NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { NodeRegistry } from '../src/node-registry.ts';
import { openRedlock, redlock } from '../src/open.ts';
import { Bench } from './support/bench.ts';
import { VotingNode } from './support/voting-node.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;

const idle = (): void => {};

interface Stage {
  readonly runtime: VirtualRuntime;
  readonly events: LockEvent[];
  readonly host: Host;
  readonly nodes: readonly VotingNode[];
}

function stage(...addresses: readonly string[]): Stage {
  const runtime = new VirtualRuntime();
  const events: LockEvent[] = [];
  const host = { runtime, label: 'box', emit: (event: LockEvent) => void events.push(event) };
  return { runtime, events, host, nodes: addresses.map((each) => new VotingNode(runtime, each)) };
}

const five = (): Stage => stage('a:1', 'b:1', 'c:1', 'd:1', 'e:1');

/** A backend that was opened while the last three of five nodes were down; they are up again. */
async function openedEarly(at: Stage): ReturnType<typeof openRedlock> {
  for (const node of at.nodes.slice(2)) node.isDown = true;
  const backend = await openRedlock({ nodes: at.nodes }, at.host);
  for (const node of at.nodes) node.isDown = false;
  at.events.splice(0);
  return backend;
}

describe('a node that was down at the opening', () => {
  test('and comes back as a replica gives no vote', async () => {
    const at = five();
    const backend = await openedEarly(at);
    for (const node of at.nodes.slice(2)) node.role = 'slave';

    const attempt = await backend.contend({ key: 'k', contender: 'a' }).attempt(FOREVER_MS);

    expect(attempt.kind).toBe('unavailable');
    expect(at.nodes.slice(2).map(({ owner }) => owner)).toEqual([undefined, undefined, undefined]);
  });

  test('and then wants a log-in refuses, as it would have then', async () => {
    const at = five();
    const backend = await openedEarly(at);
    const refusal = new NodeReplyError('NOAUTH', 'NOAUTH Authentication required.');
    for (const node of at.nodes.slice(2)) node.command = () => Promise.reject(refusal);

    const attempt = await backend.contend({ key: 'k', contender: 'a' }).attempt(FOREVER_MS);

    expect(attempt).toMatchObject({ kind: 'refused', error: { code: 'NOAUTH' } });
  });

  test('gets the list when it is checked', async () => {
    const at = five();
    const backend = await openedEarly(at);

    await backend.contend({ key: 'k', contender: 'a' }).attempt(FOREVER_MS);
    await at.runtime.pass(0);

    expect(at.nodes[4]?.list).toBe('a:1 b:1 c:1 d:1 e:1');
  });
});

describe('the list of nodes', () => {
  test('is the same in whatever order it was given', async () => {
    const at = five();
    await openRedlock({ nodes: at.nodes }, at.host);
    await openRedlock({ nodes: at.nodes.toReversed() }, at.host);

    expect(at.events).toEqual([]);
  });

  test('is left for a day, within the time of a call', async () => {
    const at = stage('a:1', 'b:1', 'c:1');
    const [first] = at.nodes;
    const asked: unknown[] = [];
    if (first === undefined) return;
    const script = first.script.bind(first);
    first.script = (named, keys, args, options) => {
      asked.push([named.name, args[1], options.deadlineMs > at.runtime.now().monotonicMs]);
      return script(named, keys, args, options);
    };

    await openRedlock({ nodes: at.nodes }, at.host);

    expect(asked).toEqual([['introduce', `${DAY_MS}`, true]]);
  });

  test('has been compared on all nodes when locks are opened', async () => {
    const at = stage('a:1', 'b:1', 'c:1');
    const [first] = at.nodes;
    if (first !== undefined) first.stallAt = 'introduce';
    let isOpen = false;
    const opening = openRedlock({ nodes: at.nodes }, at.host).then(() => (isOpen = true));
    await at.runtime.pass(1);
    expect(isOpen).toBe(false);

    first?.heal();
    await opening;

    expect(first?.list).toBe('a:1 b:1 c:1');
  });

  test('that a node refuses is reported, with its reply', async () => {
    const at = stage('a:1', 'b:1', 'c:1');
    const [first] = at.nodes;
    const cause = new NodeReplyError('NOPERM', 'NOPERM this user has no permissions');
    if (first !== undefined) first.script = () => Promise.reject(cause);

    await openRedlock({ nodes: at.nodes }, at.host);

    expect(at.events).toMatchObject([{ type: 'node', node: 'a:1', outcome: 'NOPERM', cause }]);
  });
});

describe('what cannot be opened says which backend it was', () => {
  test('where two names are one server', async () => {
    const at = stage('a:1', 'b:1', 'a:1');

    await expect(openRedlock({ nodes: at.nodes }, at.host)).rejects.toMatchObject({
      backend: 'redlock',
    });
  });

  test('where two nodes turn out to be one server', async () => {
    const { runtime, host, nodes } = stage('a:1', 'b:1');
    const twin = new VotingNode(runtime, 'proxy:1', 'a:1');

    await expect(openRedlock({ nodes: [...nodes, twin] }, host)).rejects.toMatchObject({
      backend: 'redlock',
    });
  });
});

test('nothing instead of a list is no node', async () => {
  const { host } = stage();
  const options: object = { nodes: null };

  await expect(openRedlock(options, host)).rejects.toThrow(/0 nodes are too few/);
});

test.each([
  [4, 3],
  [6, 5],
])('of %i nodes no more may fail than of %i', async (nodes, fewer) => {
  const at = stage(...Array.from({ length: nodes }, (_, i) => `n${i}:1`));

  await openRedlock({ nodes: at.nodes }, at.host);

  expect(at.events).toMatchObject([
    { message: expect.stringContaining(`${nodes} nodes survive no more failures than ${fewer}`) },
  ]);
});

function counting(nodes: readonly VotingNode[]): { closed: number } {
  const count = { closed: 0 };
  for (const node of nodes) node.close = () => Promise.resolve(void (count.closed += 1));
  return count;
}

describe('nodes', () => {
  test('that were given stay open, when the backend closes and when it cannot be opened', async () => {
    const at = stage('a:1', 'b:1', 'c:1');
    const count = counting(at.nodes);
    await (await openRedlock({ nodes: at.nodes }, at.host)).close();
    for (const node of at.nodes) node.role = 'slave';

    await expect(openRedlock({ nodes: at.nodes }, at.host)).rejects.toThrow(/replica/);

    expect(count.closed).toBe(0);
  });

  test('of its own are closed last, after all pending releases', async () => {
    const at = await Bench.open(3);
    const { nodes, host } = at;
    const count = counting(nodes);
    const registry = new NodeRegistry(nodes, host, 'holdfast');
    await registry.open();
    const backend = redlock({ nodes, registry, ownsNodes: true, namespace: 'holdfast' }, host);
    nodes[2]?.mute();
    await backend.contend({ key: 'k', contender: 'a', ttlMs: 1_000 }).attempt(FOREVER_MS);
    const closing = backend.close();
    await at.runtime.pass(0);
    expect(count.closed).toBe(0);

    nodes[2]?.heal();
    await closing;

    expect(count.closed).toBe(3);
  });

  test('of its own are awaited', async () => {
    const at = await Bench.open(3);
    const { nodes, host } = at;
    const roster = new NodeRegistry(nodes, host, 'holdfast');
    const backend = redlock(
      { nodes, registry: roster, ownsNodes: true, namespace: 'holdfast' },
      host,
    );
    let close = idle;
    for (const node of nodes.slice(1))
      node.close = () =>
        new Promise((done) => {
          close = done;
        });
    for (const node of nodes.slice(2)) node.close = () => Promise.resolve();
    let isOver = false;
    const closing = backend.close().then(() => (isOver = true));
    await at.runtime.pass(0);
    expect(isOver).toBe(false);

    close();
    await closing;
  });
});
