import { InvalidOptionError } from '@holdfast/core';
import type { OpenedNode } from '@holdfast/redis';
import { NodeDoubt, NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { openRedisGetset } from '../src/index.ts';
import { redisGetset } from '../src/open.ts';
import { Bench, KEY, LOCK } from './support/bench.ts';

const MINUTE_MS = 60_000;

describe('opening', () => {
  test('warns that the recipe is kept to be shown', async () => {
    const at = new Bench();
    const { runtime, events, node } = at;
    const emit = (event: (typeof events)[number]): void => void events.push(event);

    await openRedisGetset({ node }, { runtime, label: 'box:1', emit });

    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', backend: 'redis-getset', code: 'legacy-recipe' }),
    );
  });

  test.each([
    ['neither a source nor a node', {}],
    ['a namespace that cannot be stored', { namespace: '' }],
  ])('refuses %s', async (_, options) => {
    const { runtime } = new Bench();
    const host = { runtime, label: 'box:1', emit: () => undefined };

    await expect(openRedisGetset(options, host)).rejects.toMatchObject({ backend: 'redis-getset' });
  });

  test('refuses both a source and a node', async () => {
    const { runtime, node } = new Bench();
    const host = { runtime, label: 'box:1', emit: () => undefined };

    await expect(openRedisGetset({ source: 'redis://x', node }, host)).rejects.toMatchObject({
      code: 'CONFIG',
    });
  });
});

test.each([0, 99, 100.5, 86_400_001, Number.NaN])('a ttl of %d ms is refused', (ttlMs) => {
  const at = new Bench();

  expect(() => at.client().contend({ key: KEY, contender: 'c', ttlMs })).toThrow(
    InvalidOptionError,
  );
  expect(at.node.calls).toEqual([]);
});

describe('an inspection', () => {
  test('shows a stamp that is not past, as our own clock sees it', async () => {
    const at = new Bench();
    const stamp = at.wallMs + 400;
    at.node.values.set(LOCK, `${stamp}`);

    expect(await at.client().inspect?.(KEY)).toEqual({
      key: KEY,
      held: true,
      owner: `${stamp}`,
      remainingMs: 401,
    });
    expect(await at.client({ aheadMs: 500 }).inspect?.(KEY)).toEqual({ key: KEY, held: false });
  });

  test('of a foreign value says so, even without a reply', async () => {
    const at = new Bench();
    at.node.values.set(LOCK, 'another tool');
    await expect(at.client().inspect?.(KEY)).rejects.toMatchObject({
      code: 'FOREIGN_KEY',
      key: KEY,
    });

    at.node.before = () => {
      throw new NodeUnavailable('not connected');
    };
    await expect(at.client().inspect?.(KEY)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      key: KEY,
    });
  });
});

describe('a forced release', () => {
  test('deletes a stamp that is not past, and nothing else', async () => {
    const at = new Bench();
    at.node.values.set(LOCK, `${at.wallMs + MINUTE_MS}`);
    expect(await at.client().forceRelease?.(KEY)).toEqual({ kind: 'released' });
    expect(await at.client().forceRelease?.(KEY)).toEqual({ kind: 'not-held' });

    at.node.values.set(LOCK, `${at.wallMs - 1}`);
    expect(await at.client().forceRelease?.(KEY)).toEqual({ kind: 'not-held' });
    expect(at.stored).toBeDefined();
  });

  test('leaves a foreign value alone', async () => {
    const at = new Bench();
    at.node.values.set(LOCK, 'another tool');

    await expect(at.client().forceRelease?.(KEY)).rejects.toMatchObject({ code: 'FOREIGN_KEY' });
    expect(at.stored).toBe('another tool');
  });

  test('whose reply is lost is unknown', async () => {
    const at = new Bench();
    at.node.values.set(LOCK, `${at.wallMs + MINUTE_MS}`);
    at.node.after = (name) => {
      if (name === 'DEL') throw new NodeDoubt('no reply', 'none', Promise.resolve(false));
      return undefined;
    };

    expect((await at.client().forceRelease?.(KEY))?.kind).toBe('unknown');
  });

  test('whose reply is no number is unknown', async () => {
    const at = new Bench();
    at.node.values.set(LOCK, `${at.wallMs + MINUTE_MS}`);
    const command = at.node.command.bind(at.node);
    at.node.command = async (args, options) =>
      args[0] === 'DEL' ? 'QUEUED' : await command(args, options);

    expect((await at.client().forceRelease?.(KEY))?.kind).toBe('unknown');
  });
});

test('health is asked of the node; closing leaves a node open that was handed in', async () => {
  const at = new Bench();
  const client = at.client();

  expect(await client.health?.()).toMatchObject({ ok: true, nodes: [{ node: at.node.address }] });
  at.node.before = () => {
    throw new NodeUnavailable('not connected');
  };
  expect(await client.health?.()).toMatchObject({
    ok: false,
    nodes: [{ detail: 'not connected' }],
  });
  await client.close();

  expect(at.node.isClosed).toBe(false);
});

const BACKEND = 'redis-getset';

function failing(cause: Error): Bench {
  const at = new Bench();
  at.node.before = () => {
    throw cause;
  };
  return at;
}

describe('an operator’s call fails with key, backend and cause', () => {
  test.each([
    ['refused', new NodeReplyError('NOPERM', 'NOPERM this user has no permissions'), 'NOPERM'],
    ['of another type', new NodeReplyError('WRONGTYPE', 'WRONGTYPE Operation …'), 'FOREIGN_KEY'],
    ['not there', new NodeUnavailable('not connected'), 'BACKEND_UNAVAILABLE'],
  ])('where the node is %s', async (_, cause, code) => {
    const at = failing(cause);

    for (const asking of [at.client().inspect?.(KEY), at.client().forceRelease?.(KEY)])
      await expect(asking).rejects.toMatchObject({ code, key: KEY, backend: BACKEND, cause });
  });
});

test('a call without a reply is reported with key and cause', async () => {
  const cause = new NodeDoubt('no reply', 'none', Promise.resolve(false));
  const at = failing(cause);

  await at.client().contend({ key: KEY, contender: 'c' }).attempt(Number.MAX_SAFE_INTEGER);

  expect(at.events).toMatchObject([{ type: 'node', backend: BACKEND, key: KEY, cause }]);
});

test('an attempt waits until a node that was down has been checked', async () => {
  const { node, runtime } = new Bench();
  const host = { runtime, label: 'box:1', emit: () => undefined };
  const refused = { kind: 'unavailable', cause: new Error('not checked') } as const;
  const lateCheck = { guard: () => ({ attempt: () => Promise.resolve(refused) }) };
  const opened = { node, ownsNode: false, namespace: 'holdfast', lateCheck } as unknown;
  const backend = redisGetset({ ...(opened as OpenedNode), checkAge: false }, host);

  const attempt = backend.contend({ key: KEY, contender: 'c' }).attempt(Number.MAX_SAFE_INTEGER);

  expect(await attempt).toBe(refused);
  expect(node.calls).toEqual([]);
});

describe('a node that was given', () => {
  const { node, runtime } = new Bench();
  const host = { runtime, label: 'box:1', emit: () => undefined };

  test('stays open when the backend closes', async () => {
    await (await openRedisGetset({ node }, host)).close();

    expect(node.isClosed).toBe(false);
  });

  test('does not excuse an empty namespace', async () => {
    await expect(openRedisGetset({ node, namespace: '' }, host)).rejects.toThrow(/namespace/);
  });
});
