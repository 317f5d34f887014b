import type { RedisBackend } from '@holdfast/redis';
import { NodeDoubt, NodeReplyError, NodeUnavailable, type Reply } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SimpleGrant } from '../src/grant.ts';
import { redisSimple } from '../src/open.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';

const TTL_MS = 1_000;
const LIFE_MS = 100 + TTL_MS + 12;

function grantOf({ store, runtime }: Bench): SimpleGrant {
  const won = {
    keys: KEYS,
    owner: 'c1:2:box:1',
    from: runtime.now(),
    ttlMs: TTL_MS,
    fencingToken: 7n,
  };
  return new SimpleGrant(store, won);
}

const doubt = (): NodeDoubt => new NodeDoubt('no reply', 'none', Promise.resolve(false));
const overwritten = (): NodeReplyError => new NodeReplyError('WRONGTYPE', 'WRONGTYPE …');
const says = (reply: Reply | Error): (() => Promise<Reply>) =>
  reply instanceof Error ? () => Promise.reject(reply) : () => Promise.resolve(reply);

describe('a renewal', () => {
  test('is valid from the moment its request left, and names the whole owner value', async () => {
    const at = bench();
    const grant = grantOf(at);
    await at.runtime.pass(300);
    const sent = at.runtime.now();
    at.node.answer = async () => {
      await at.runtime.pass(40);
      return 1;
    };

    expect(await grant.renew(2_000)).toEqual({
      kind: 'renewed',
      validity: { from: sent, ms: 2_000 - 20 - 2 },
    });
    expect(at.node.calls).toMatchObject([
      {
        name: 'renew',
        keys: [KEYS.lock, KEYS.channel],
        args: ['c1:2:box:1', '2000'],
        options: { deadlineMs: 1_300 + 200 },
      },
    ]);
  });

  test.each([
    ['the key is gone or another’s', 0, 'lost'],
    ['something of another type stands there', overwritten(), 'lost'],
    ['no reply came', doubt(), 'unknown'],
    ['nothing could be sent', new NodeUnavailable('not connected'), 'unknown'],
    ['the node is a replica now', new NodeReplyError('READONLY', 'READONLY …'), 'unknown'],
    ['the user lost a right', new NodeReplyError('NOPERM', 'NOPERM …'), 'unknown'],
  ])('when %s', async (_, reply, kind) => {
    const at = bench();
    at.node.answer = says(reply);

    expect((await grantOf(at).renew(TTL_MS)).kind).toBe(kind);
  });
});

describe('a release', () => {
  test.each([
    ['answered yes', 1, 'released'],
    ['answered no', 0, 'not-held'],
    ['of a key that was overwritten', overwritten(), 'not-held'],
  ])('%s is over', async (_, reply, kind) => {
    const at = bench();
    at.node.answer = says(reply);

    expect(await grantOf(at).release()).toEqual({ kind });
    expect(at.runtime.timers.size).toBe(0);
  });

  test('in doubt says so, and is sent again until it is answered', async () => {
    const at = bench();
    at.node.answer = says(doubt());
    expect((await grantOf(at).release()).kind).toBe('unknown');
    await at.runtime.pass(200);
    const soFar = at.node.calls.length;
    expect(soFar).toBeGreaterThan(1);

    at.node.answer = says(1);
    await at.runtime.pass(LIFE_MS);

    expect(at.node.calls.length).toBe(soFar + 1);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('in doubt is sent again with growing pauses', async () => {
    const at = bench();
    at.node.answer = says(new NodeUnavailable('not connected'));
    const sentMs: number[] = [];
    const answer = at.node.answer;
    at.node.answer = (call) => {
      sentMs.push(at.runtime.now().monotonicMs - 1_000);
      return answer(call);
    };

    await grantOf(at).release();
    await at.runtime.pass(500);

    expect(sentMs).toEqual([0, 25, 75, 175, 375]);
  });

  test('in doubt is not sent any more when the key must be gone by itself', async () => {
    const at = bench();
    at.node.answer = says(doubt());
    await grantOf(at).release();

    await at.runtime.pass(2 * LIFE_MS);
    const soFar = at.node.calls.length;
    await at.runtime.pass(60_000);

    expect(at.node.calls.length).toBe(soFar);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('is retried for as long as a doubtful renewal may have lengthened the hold', async () => {
    const at = bench();
    at.node.answer = says(doubt());
    const grant = grantOf(at);
    await grant.renew(60_000);
    await grant.release();
    await at.runtime.pass(30_000);
    const soFar = at.node.calls.length;

    await at.runtime.pass(10_000);

    expect(at.node.calls.length).toBeGreaterThan(soFar);
  });

  test('in doubt keeps no process alive, and ends with the backend after one last try', async () => {
    const at = bench();
    at.node.answer = says(doubt());
    await grantOf(at).release();
    expect([...at.runtime.timers].map((timer) => timer.awaited)).toEqual([false]);

    await at.store.pendingReleases.close();
    await at.runtime.pass(LIFE_MS);

    expect(at.node.calls.map((call) => call.name)).toEqual(['release', 'release']);
    expect(at.runtime.timers.size).toBe(0);
  });
});

function backend({ node, host }: Bench): RedisBackend {
  return redisSimple({ node, ownsNode: true, namespace: 'holdfast' }, host);
}

test('a release may take a tenth of the ttl that was renewed for', async () => {
  const at = bench();
  const attempt = await backend(at)
    .contend({ key: KEYS.key, contender: 'c1', ttlMs: 10_000 })
    .attempt(Number.MAX_SAFE_INTEGER);
  at.node.answer = () => Promise.resolve(1);
  if (attempt.kind !== 'granted') throw new Error(attempt.kind);
  await attempt.grant.renew?.(2_000);
  await attempt.grant.release();

  const { monotonicMs } = at.runtime.now();
  expect(at.node.calls.at(-1)?.options.deadlineMs).toBe(monotonicMs + 200);
});

test('a release without an answer is sent again every two seconds at least', async () => {
  const at = bench();
  const attempt = await backend(at)
    .contend({ key: KEYS.key, contender: 'c1', ttlMs: 60_000 })
    .attempt(Number.MAX_SAFE_INTEGER);
  const sentMs: number[] = [];
  // The longest that chance makes of a pause.
  at.runtime.jitter = 1;
  at.node.answer = () => {
    sentMs.push(at.runtime.now().monotonicMs);
    return Promise.reject(doubt());
  };
  if (attempt.kind === 'granted') await attempt.grant.release();
  await at.runtime.pass(50_000);

  const pausesMs = sentMs.slice(1).map((ms, i) => ms - (sentMs[i] ?? 0));
  expect(pausesMs.length).toBeGreaterThan(20);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(2_000);
});
