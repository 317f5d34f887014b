import { describe, expect, test, vi } from 'vitest';
import { SessionDoubt, SessionReplyError } from '../src/port.ts';
import { SessionHandle } from '../src/session-handle.ts';
import { Bench, CONTAINER, T_MS } from './support/bench.ts';

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

const OWN = `${CONTAINER}/c1-lock-0000000000`;

describe('a hold that was given back', () => {
  test('is lost to a renewal, without a request', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.release());
    a.requests();

    expect(await at.let(grant.renew(T_MS))).toEqual({ kind: 'lost' });
    expect(a.requests()).toEqual([]);
  });

  test('is not released a second time, without a request', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    expect(await at.let(grant.release())).toEqual({ kind: 'released' });
    a.requests();

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    expect(a.requests()).toEqual([]);
  });

  test('leaves no watch, also where its renewal was setting one, and looks at its node no more', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    const renewing = grant.renew(T_MS);
    await at.runtime.pass(1);
    a.requests();

    await at.let(grant.release());
    await at.let(renewing);
    await at.runtime.pass(10);

    expect(at.tree.watches.size).toBe(0);
    expect(a.requests().filter((request) => request.startsWith('existsWatch'))).toEqual([]);
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

  test('while a renewal finds its node removed, is not reported as lost', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    let calls = 0;
    grant.onLost(() => (calls += 1));
    at.tree.delete(OWN);
    const renewing = grant.renew(T_MS);
    await at.runtime.pass(1);

    await at.let(grant.release());
    await at.let(renewing);

    expect(calls).toBe(0);
  });
});

describe('a hold that was removed by force', () => {
  test('is lost, reported once, and neither renewed nor removed again', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    let calls = 0;
    grant.onLost(() => (calls += 1));
    at.tree.delete(OWN);
    await at.runtime.pass(10);
    a.requests();

    expect(await at.let(grant.renew(T_MS))).toEqual({ kind: 'lost' });
    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    a.session.expire();

    expect(calls).toBe(1);
    expect(a.requests()).toEqual([]);
  });

  test('keeps its session warm no longer than two T', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    at.tree.delete(OWN);
    await at.runtime.pass(3 * T_MS);
    a.requests();

    await at.runtime.pass(2 * T_MS);

    expect(a.requests()).toEqual([]);
  });
});

test('a renewal that could not read its node leaves that to the next one', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  const grant = await a.take('c1');
  a.session.next('existsWatch', new SessionDoubt('no answer'));
  expect((await at.let(grant.renew(T_MS))).kind).toBe('unknown');

  expect((await at.let(grant.renew(T_MS))).kind).toBe('renewed');
  expect(at.tree.watches.size).toBe(1);
});

describe('a hold', () => {
  test('whose node may not be removed watches it no longer', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    a.session.next('delete', new SessionReplyError('NOAUTH', 'not yours'));

    expect((await at.let(grant.release())).kind).toBe('unknown');
    expect(at.tree.watches.size).toBe(0);
  });

  test('that was given back leaves nothing with its session, which may have many', async () => {
    let listening = 0;
    const onState = Reflect.get<SessionHandle, 'onState'>(SessionHandle.prototype, 'onState');
    const spy = vi.spyOn(SessionHandle.prototype, 'onState').mockImplementation(function (
      this: SessionHandle,
      listener,
    ) {
      listening += 1;
      const stop = onState.call(this, listener);
      return () => {
        listening -= 1;
        stop();
      };
    });
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const before = listening;

    for (let i = 0; i < 5; i++) await at.let((await a.take(`c${i}`)).release());

    expect(listening).toBe(before);
    spy.mockRestore();
  });

  test('is renewed by a late reply, to the last millisecond of what it proves', async () => {
    const left: number[] = [];
    for (let blockedMs = 0.6 * T_MS; blockedMs < T_MS; blockedMs++) {
      const at = new Bench();
      const a = await at.actor('a');
      const grant = await a.take('c1');
      await at.let(grant.renew(T_MS));
      await at.runtime.pass(T_MS / 5);
      const renewing = grant.renew(T_MS);
      await at.runtime.pass(0);
      at.runtime.block(blockedMs);
      const renewal = await at.let(renewing);
      if (renewal.kind !== 'renewed') break;
      const { from, ms } = renewal.validity;
      left.push(from.monotonicMs + ms - nowMs(at));
    }

    expect(left.at(-1)).toBe(1);
  });
});
