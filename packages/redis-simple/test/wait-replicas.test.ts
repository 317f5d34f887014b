import { ConfigError, InvalidOptionError } from '@holdfast/core';
import { NodeDoubt, NodeNotAcknowledged, NodeReplyError, type Reply } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SimpleAdopter } from '../src/adopter.ts';
import { SimpleContender } from '../src/contender.ts';
import { SimpleContenderForAll } from '../src/contender-for-all.ts';
import { openRedisSimple } from '../src/index.ts';
import { RELEASE_ALL } from '../src/scripts-for-all.ts';
import { storedKeys } from '../src/store.ts';
import { type Bench, bench, KEYS, type ScriptedCall } from './support/scripted-node.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const TTL_MS = 1_000;
const TOKEN = '1795176664259249';
const tooFew = new NodeNotAcknowledged('redis.example:6379: 1 of 2 replicas acknowledged', 1);

function waiting(): Bench {
  return bench(2);
}

function contend({ store }: Bench): SimpleContender {
  return new SimpleContender(store, KEYS, 'c1', TTL_MS);
}

/** Answers each script by its name; one that is not listed is a doubt. */
function answers(at: Bench, replies: Readonly<Record<string, Reply | Error>>): void {
  at.node.answer = ({ name }) => {
    const reply = replies[name] ?? new NodeDoubt('no reply', 'none', Promise.resolve(false));
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
}

function callOf({ node }: Bench, name: string): ScriptedCall | undefined {
  return node.calls.findLast((call) => call.name === name);
}

const waitOf = (at: Bench, name: string): ScriptedCall['options']['acknowledged'] =>
  callOf(at, name)?.options.acknowledged;

describe('an attempt', () => {
  test('counts once the replicas have its grant; the reply that a key is taken needs none', async () => {
    const at = waiting();

    expect((await contend(at).attempt(FOREVER_MS)).kind).toBe('granted');

    const wait = waitOf(at, 'acquire');
    // Of the tenth of the ttl that a call has, the last quarter is for taking back.
    expect(wait).toMatchObject({ replicas: 2, byMs: 1_000 + 75 });
    expect(wait?.isNeeded?.(TOKEN)).toBe(true);
    expect(wait?.isNeeded?.(500)).toBe(false);
  });

  test('that too few replicas have is taken back first, and then nothing is held', async () => {
    const at = waiting();
    answers(at, { acquire: tooFew, release: 1 });
    const contender = contend(at);

    expect(await contender.attempt(FOREVER_MS)).toEqual({ kind: 'unavailable', cause: tooFew });

    const release = callOf(at, 'release');
    expect(release?.args).toEqual(['c1:1:box:1']);
    expect(release?.options).toEqual({ deadlineMs: 1_000 + 100 });
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    expect(at.events).toMatchObject([{ type: 'node', outcome: 'not acknowledged' }]);
  });

  test('is unknown if that is in doubt, and goes on being released', async () => {
    const at = waiting();
    answers(at, { acquire: tooFew });
    const contender = contend(at);

    expect((await contender.attempt(FOREVER_MS)).kind).toBe('unknown');

    expect((await contender.withdraw()).kind).toBe('unknown');
    const before = at.node.calls.length;
    await at.runtime.pass(60);
    expect(at.node.calls.length).toBeGreaterThan(before);
  });

  test('has the caller’s own limit for all of it', async () => {
    const at = waiting();
    answers(at, { acquire: tooFew, release: 1 });

    await contend(at).attempt(1_040);

    expect(waitOf(at, 'acquire')).toMatchObject({ byMs: 1_030 });
    expect(callOf(at, 'release')?.options.deadlineMs).toBe(1_040);
  });
});

test('an attempt for several keys is taken back as a whole', async () => {
  const at = waiting();
  answers(at, { 'acquire-all': tooFew, 'release-all': 1 });
  const all = ['a', 'b'].map((key) => storedKeys('holdfast', key));
  const contender = new SimpleContenderForAll(at.store, all, 'c1', TTL_MS);

  expect(await contender.attempt(FOREVER_MS)).toEqual({ kind: 'unavailable', cause: tooFew });

  expect(waitOf(at, 'acquire-all')).toMatchObject({ replicas: 2, byMs: 1_075 });
  expect(callOf(at, RELEASE_ALL.name)?.args).toEqual(['c1:1:box:1']);
  expect(await contender.withdraw()).toEqual({ kind: 'clean' });
});

test('several keys are unknown too if taking them back is in doubt', async () => {
  const at = waiting();
  answers(at, { 'acquire-all': tooFew });
  const all = ['a', 'b'].map((key) => storedKeys('holdfast', key));
  const contender = new SimpleContenderForAll(at.store, all, 'c1', TTL_MS);

  expect((await contender.attempt(FOREVER_MS)).kind).toBe('unknown');

  expect((await contender.withdraw()).kind).toBe('unknown');
});

test('an adoption that too few replicas have is in doubt until it is tried again or given up', async () => {
  const at = waiting();
  answers(at, { adopt: tooFew, release: 1 });
  const adopter = new SimpleAdopter(at.store, KEYS, {
    contender: 'c1',
    ttlMs: TTL_MS,
    exported: 'c0:1:box:0',
  });

  expect((await adopter.attempt(FOREVER_MS)).kind).toBe('unknown');
  expect(callOf(at, 'release')).toBeUndefined();

  answers(at, { adopt: TOKEN });
  expect((await adopter.attempt(FOREVER_MS)).kind).toBe('granted');
  expect(waitOf(at, 'adopt')).toMatchObject({ replicas: 2 });
});

describe('a grant', () => {
  test('is renewed only if the replicas have that too; otherwise it is unknown, and nothing is undone', async () => {
    const at = waiting();
    const attempt = await contend(at).attempt(FOREVER_MS);
    if (attempt.kind !== 'granted') throw new Error('not granted');
    answers(at, { renew: tooFew });

    expect(await attempt.grant.renew?.(TTL_MS)).toEqual({ kind: 'unknown', cause: tooFew });

    const wait = waitOf(at, 'renew');
    expect(wait).toMatchObject({ replicas: 2, byMs: 1_100 });
    expect([0, 1].map((reply) => wait?.isNeeded?.(reply))).toEqual([false, true]);
    expect(callOf(at, 'release')).toBeUndefined();
  });

  test('is released without them', async () => {
    const at = waiting();
    const attempt = await contend(at).attempt(FOREVER_MS);
    if (attempt.kind !== 'granted') throw new Error('not granted');
    answers(at, { release: 1 });

    expect(await attempt.grant.release()).toEqual({ kind: 'released' });

    expect(callOf(at, 'release')?.options).not.toHaveProperty('acknowledged');
  });
});

describe('opening', () => {
  const INFO =
    'redis_version:7.0.0\r\nrole:master\r\nredis_mode:standalone\r\nmaxmemory_policy:noeviction';

  function opening(rehearsal: Reply | Error): Bench {
    const at = bench();
    at.node.answer = ({ name, options }) => {
      const reply = options.acknowledged === undefined ? (name === 'INFO' ? INFO : []) : rehearsal;
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    };
    return at;
  }

  test('is silent if enough replicas follow', async () => {
    const { node, host, events } = opening([]);

    await (await openRedisSimple({ node, waitReplicas: 2 }, host)).close();

    expect(events).toEqual([]);
    expect(node.calls.at(-1)?.options.acknowledged).toMatchObject({ replicas: 2 });
  });

  test('warns if too few do, since they may come back', async () => {
    const { node, host, events } = opening(tooFew);

    await (await openRedisSimple({ node, waitReplicas: 2 }, host)).close();

    expect(events).toMatchObject([
      { type: 'warning', code: 'few-replicas', message: expect.stringContaining('1 of 2') },
    ]);
  });

  test('waits for no replica of a server that it has not reached', async () => {
    const { node, host } = opening([]);
    const unreached = Object.assign(node, { connections: 0 });

    await (await openRedisSimple({ node: unreached, waitReplicas: 2 }, host)).close();

    expect(node.calls.filter(({ options }) => options.acknowledged !== undefined)).toEqual([]);
  });

  test('refuses a user who may not send WAIT', async () => {
    const cause = new NodeReplyError('NOPERM', 'NOPERM this user may not run the wait command');
    const { node, host } = opening(new NodeNotAcknowledged('h: too few', undefined, cause));

    const open = openRedisSimple({ node, waitReplicas: 2 }, host);

    await expect(open).rejects.toThrow(ConfigError);
    await expect(open).rejects.toThrow(/waitReplicas needs WAIT.*NOPERM/);
  });

  test.each([0, -1, 1.5, 101, Number.NaN])('refuses %s replicas', async (waitReplicas) => {
    const { node, host } = opening([]);

    await expect(openRedisSimple({ node, waitReplicas }, host)).rejects.toThrow(InvalidOptionError);
    expect(node.calls).toEqual([]);
  });
});
