import { BackendUnavailableError } from '@holdfast/core';
import type { RedisBackend } from '@holdfast/redis';
import type { Reply } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SimpleContender } from '../src/contender.ts';
import { SimpleGrant } from '../src/grant.ts';
import { redisSimple } from '../src/open.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';

const TTL_MS = 1_000;

/** Replies that no script of ours ever gets. */
const NEVER: readonly Reply[] = [
  'QUEUED',
  'OK',
  '',
  '1',
  '0',
  null,
  [],
  [1],
  ['a:1:b', 5],
  ['a:1:b', '5', null],
  [null, -2, null, null],
  -4,
  0.5,
  2 ** 60,
  Number.NaN,
  Number.POSITIVE_INFINITY,
];
/** Times in ms that a client made strings of, and tokens that no number holds. */
const NO_TOKENS: readonly Reply[] = [
  '29000',
  '86400000',
  '-1',
  '9007199254740993',
  '1e15',
  'queued',
];

function contenderAt(at: Bench): SimpleContender {
  return new SimpleContender(at.store, KEYS, 'c1', TTL_MS);
}

function grantOf({ store, runtime }: Bench): SimpleGrant {
  const from = runtime.now();
  const won = { keys: KEYS, owner: 'c1:1:box', from, ttlMs: TTL_MS, fencingToken: 7n };
  return new SimpleGrant(store, won);
}

function answering(reply: Reply): Bench {
  const at = bench();
  at.node.answer = () => Promise.resolve(reply);
  return at;
}

const backendOf = ({ node, host }: Bench): RedisBackend =>
  redisSimple({ node, ownsNode: false, namespace: 'holdfast' }, host);

const said = (cause: unknown): string => (cause instanceof Error ? cause.message : '');

describe.each(NEVER)('answered with %j', (reply) => {
  test('a renewal is a doubt', async () => {
    const renewal = await grantOf(answering(reply)).renew(TTL_MS);

    expect(renewal).toMatchObject({ kind: 'unknown' });
    expect(said('cause' in renewal && renewal.cause)).toMatch(/^renew: unexpected reply /);
  });

  test('a release is a doubt, and tried again', async () => {
    const at = answering(reply);

    const release = await grantOf(at).release();
    at.node.answer = () => Promise.resolve(1);
    await at.runtime.pass(TTL_MS);

    expect(said('cause' in release && release.cause)).toMatch(/^release: unexpected reply /);
    expect(at.node.calls.map(({ name }) => name)).toEqual(['release', 'release']);
  });

  test('inspect does not know', async () => {
    const inspecting = backendOf(answering(reply)).inspect('k');

    await expect(inspecting).rejects.toThrow(BackendUnavailableError);
    await expect(inspecting).rejects.toThrow(/inspect: unexpected reply /);
  });

  test('forceRelease is a doubt', async () => {
    const forced = await backendOf(answering(reply)).forceRelease('k');

    expect(said('cause' in forced && forced.cause)).toMatch(/^force: unexpected reply /);
  });
});

describe.each([...NEVER, ...NO_TOKENS])('answered with %j', (reply) => {
  test('an attempt is a doubt, which is told, and undone until it must be gone', async () => {
    const at = answering(reply);
    const contender = contenderAt(at);

    const attempt = await contender.attempt(Number.MAX_SAFE_INTEGER);
    at.node.answer = () => Promise.resolve(0);
    await at.runtime.pass(200);

    expect(attempt.kind).toBe('unknown');
    expect(said('cause' in attempt && attempt.cause)).toMatch(/^acquire: unexpected reply /);
    expect(at.events).toMatchObject([{ type: 'node', outcome: 'unknown' }]);
    const [, undo] = at.node.calls;
    expect(undo).toMatchObject({ name: 'release', args: ['c1:1:box:1'] });
    expect(await contender.withdraw()).toMatchObject({ kind: 'unknown' });
  });
});

test('what an odd reply may have left is clean once a release has found it', async () => {
  const at = answering('QUEUED');
  const contender = contenderAt(at);
  await contender.attempt(Number.MAX_SAFE_INTEGER);

  at.node.answer = () => Promise.resolve(1);
  await at.runtime.pass(100);

  expect(await contender.withdraw()).toEqual({ kind: 'clean' });
});
