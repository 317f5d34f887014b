import { describe, expect, test } from 'vitest';
import { SessionDoubt } from '../../packages/zk/src/port.ts';
import { Bench, CONTAINER, T_MS } from '../../packages/zk/test/support/bench.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

const OWN = `${CONTAINER}/c1-lock-0000000000`;

describe('a hold that was given back', () => {
  test('is lost to a renewal, and nobody is asked', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.release());
    a.asked();

    expect(await at.let(grant.renew(T_MS))).toEqual({ kind: 'lost' });
    expect(a.asked()).toEqual([]);
  });

  test('is not given back a second time, and nobody is asked', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    expect(await at.let(grant.release())).toEqual({ kind: 'released' });
    a.asked();

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    expect(a.asked()).toEqual([]);
  });

  test('leaves no watch, also where its renewal was setting one, and looks at its node no more', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    const renewing = grant.renew(T_MS);
    await at.runtime.pass(1);
    a.asked();

    await at.let(grant.release());
    await at.let(renewing);
    await at.runtime.pass(10);

    expect(at.tree.watches.size).toBe(0);
    expect(a.asked().filter((asked) => asked.startsWith('existsWatch'))).toEqual([]);
  });

  test('leaves no watch, also where its renewal was still to set one', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    const renewing = grant.renew(T_MS);
    await at.runtime.pass(0);

    await at.let(grant.release());
    await at.let(renewing);
    await at.runtime.pass(10);

    expect(at.tree.watches.size).toBe(0);
  });

  test('leaves no watch where one was set long before', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    expect(at.tree.watches.size).toBe(1);

    await at.let(grant.release());

    expect(at.tree.watches.size).toBe(0);
  });

  test('while it finds out that somebody has removed it, is not told of as lost', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    let told = 0;
    grant.onLost(() => (told += 1));
    at.tree.delete(OWN);
    const renewing = grant.renew(T_MS);
    await at.runtime.pass(1);

    await at.let(grant.release());
    await at.let(renewing);

    expect(told).toBe(0);
  });
});

describe('a hold that was removed by force', () => {
  test('is lost, told of once, and neither renewed nor removed again', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    let told = 0;
    grant.onLost(() => (told += 1));
    at.tree.delete(OWN);
    await at.runtime.pass(10);
    a.asked();

    expect(await at.let(grant.renew(T_MS))).toEqual({ kind: 'lost' });
    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    a.session.expire();

    expect(told).toBe(1);
    expect(a.asked()).toEqual([]);
  });

  test('keeps its session warm no longer than two T', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    at.tree.delete(OWN);
    await at.runtime.pass(3 * T_MS);
    a.asked();

    await at.runtime.pass(2 * T_MS);

    expect(a.asked()).toEqual([]);
  });
});

test('a renewal that could not look at its node leaves that to the next one', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  const grant = await a.take('c1');
  a.session.next('existsWatch', new SessionDoubt('no answer'));
  expect((await at.let(grant.renew(T_MS))).kind).toBe('unknown');

  expect((await at.let(grant.renew(T_MS))).kind).toBe('renewed');
  expect(at.tree.watches.size).toBe(1);
});
