import { type Backend, createHost, type Grant } from '@holdfast/core/backend';
import { NodeDoubt } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { openRedisGetset } from '../src/index.ts';
import { Bench, KEY } from './support/bench.ts';

const TTL_MS = 1_000;

async function take(client: Backend, ttlMs = TTL_MS): Promise<Grant> {
  const contender = client.contend({ key: KEY, contender: 'c', ttlMs });
  const outcome = await contender.attempt(Number.MAX_SAFE_INTEGER);
  if (outcome.kind !== 'granted') throw new Error(`it was ${outcome.kind}`);
  return outcome.grant;
}

/** The recipe is kept as it was written; these are what is wrong with it. */
describe('the recipe', () => {
  test('lets in a client whose clock is ahead while the holder is still valid', async () => {
    const at = new Bench();
    const held = await take(at.client(), 10_000);

    await take(at.client({ aheadMs: 11_000 }));

    expect(at.runtime.elapsedMs(held.validity.from)).toBeLessThan(held.validity.ms);
  });

  test('lets a client take over too early whose holder’s clock was behind', async () => {
    const at = new Bench();
    const held = await take(at.client({ aheadMs: -11_000 }), 10_000);

    await take(at.client());

    expect(at.runtime.elapsedMs(held.validity.from)).toBeLessThan(held.validity.ms);
  });

  test('has a client whose clock is behind wait for longer than the ttl', async () => {
    const at = new Bench();
    await take(at.client());
    await at.runtime.pass(3 * TTL_MS);

    await expect(take(at.client({ aheadMs: -5_000 }))).rejects.toThrow('busy');
  });

  test('deletes the next holder’s lock when a release is late', async () => {
    const at = new Bench();
    const late = await take(at.client());
    await at.runtime.pass(TTL_MS + 2);
    await take(at.client());

    expect(await late.release()).toEqual({ kind: 'released' });
    expect(at.stored).toBeUndefined();
  });

  test('does not when it checks its age first, unless the DEL itself is late', async () => {
    const at = new Bench();
    const late = await take(at.client({ checkAge: true }));
    await at.runtime.pass(TTL_MS + 2);
    const next = await take(at.client());
    expect(await late.release()).toEqual({ kind: 'not-held' });
    expect(at.stored).toBe(next.owner);

    const slow = new Bench();
    const onTime = await take(slow.client({ checkAge: true }));
    slow.node.before = async (name) => {
      if (name !== 'DEL') return;
      await slow.runtime.pass(TTL_MS + 2);
      await take(slow.client());
    };
    await onTime.release();
    expect(slow.stored).toBeUndefined();
  });

  test.each([
    [{}, 'released'],
    [{ checkAge: true }, 'not-held'],
  ] as const)('opened with %j, ends a late release as %s', async (options, kind) => {
    const at = new Bench();
    const { node, runtime } = at;
    const client = await openRedisGetset({ node, ...options }, createHost({ runtime }));
    const late = await take(client);

    await at.runtime.pass(TTL_MS + 2);

    expect(await late.release()).toEqual({ kind });
  });

  test('writes the same stamp for two clients in the same ms, and cannot tell whose it is', async () => {
    const at = new Bench();
    const first = await take(at.client());
    await first.release();

    const second = await take(at.client());

    expect(second.owner).toBe(first.owner);
  });

  test('keeps its own contender out when a reply is lost, for as long as the stamp lasts', async () => {
    const at = new Bench();
    const contender = at.client().contend({ key: KEY, contender: 'c', ttlMs: TTL_MS });
    at.node.after = () => {
      at.node.after = () => undefined;
      throw new NodeDoubt('no reply', 'none', Promise.resolve(false));
    };
    await contender.attempt(Number.MAX_SAFE_INTEGER);

    const again = await contender.attempt(Number.MAX_SAFE_INTEGER);

    expect(again).toMatchObject({ kind: 'busy', holderRemainingMs: TTL_MS + 2 });
  });
});

describe('a release', () => {
  test('is sent once, whatever comes of it, because a second DEL may hit somebody else', async () => {
    const at = new Bench();
    const grant = await take(at.client());
    at.node.before = () => {
      throw new NodeDoubt('no reply', 'none', Promise.resolve(false));
    };

    expect((await grant.release()).kind).toBe('unknown');
    expect((await grant.release()).kind).toBe('unknown');
    await at.runtime.pass(60_000);

    expect(at.node.names).toEqual(['SETNX', 'DEL']);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('that is repeated sends nothing', async () => {
    const at = new Bench();
    const grant = await take(at.client());

    expect(await grant.release()).toEqual({ kind: 'released' });
    expect(await grant.release()).toEqual({ kind: 'not-held' });
    expect(at.node.names).toEqual(['SETNX', 'DEL']);
  });

  test('answered with anything but a number of keys is unknown', async () => {
    const at = new Bench();
    const grant = await take(at.client());
    at.node.after = () => 'OK';

    expect((await grant.release()).kind).toBe('unknown');
  });
});
