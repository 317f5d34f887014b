import { describe, expect, test, vi } from 'vitest';
import { SessionReplyError } from '../src/port.ts';
import { type Actor, Bench, CONTAINER } from './support/bench.ts';

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

/** One whose next creation is applied, and never answered. */
async function doubtful(): Promise<{ at: Bench; a: Actor }> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.warm();
  a.session.next('create', 'lost');
  return { at, a };
}

async function warm(): Promise<{ at: Bench; a: Actor }> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.warm();
  await at.runtime.pass(10);
  a.asked();
  return { at, a };
}

describe('a creation of which nobody knows', () => {
  test('is looked for behind a sync, since the server that is asked may not have seen it yet', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();
    a.asked();

    await a.attempt(contender);

    const asked = a.asked();
    expect(asked.indexOf('sync k')).toBeGreaterThanOrEqual(0);
    expect(asked.indexOf('sync k')).toBeLessThan(asked.indexOf('list k'));
    expect(asked.filter((each) => each.startsWith('create c1'))).toEqual([]);
  });

  test('that made two nodes keeps the place of the earlier one, and removes the other', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    at.tree.create(`${CONTAINER}/c1-lock-`, 'a', a.session.id, true);
    // Servers list children in no order.
    vi.spyOn(a.session, 'list').mockImplementationOnce(async (path) => {
      const listing = await a.session.list(path);
      return { ...listing, children: listing.children.toReversed() };
    });
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();

    const grant = await a.granted(contender);
    await at.runtime.pass(10);

    expect(at.queue).toEqual(['c1']);
    expect(at.tree.at(`${CONTAINER}/c1-lock-0000000001`).czxid).toBe(grant.fencingToken);
  });

  test('is in doubt for as long as its session may last, at once where that is over', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    a.isDown = true;
    a.session.expire();
    const fromMs = nowMs(at);

    expect((await at.let(contender.withdraw())).kind).toBe('unknown');
    expect(nowMs(at) - fromMs).toBeLessThan(10);
  });

  test('is looked for once, by the attempt and by the withdrawal together', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();
    a.asked();

    const attempt = contender.attempt(Number.MAX_SAFE_INTEGER);
    const withdrawn = contender.withdraw();
    await at.let(Promise.all([attempt, withdrawn]));

    expect(a.asked().filter((each) => each === 'sync k')).toHaveLength(1);
  });
});

describe('the look for a node of which nobody knows', () => {
  test('is asked for again after 25 ms, ever more slowly, where a server refuses it', async () => {
    const { at, a } = await warm();
    const contender = a.contend('c1');
    a.session.next('create', 'lost');
    await a.attempt(contender);
    a.session.disconnect();
    for (let i = 0; i < 1_000; i++) a.session.next('sync', new SessionReplyError('OTHER', 'no'));
    a.session.reconnect();
    a.asked();
    const syncs: number[] = [];
    const sync = a.session.sync.bind(a.session);
    vi.spyOn(a.session, 'sync').mockImplementation((path) => {
      if (path === CONTAINER) syncs.push(nowMs(at));
      return sync(path);
    });

    void contender.withdraw();
    await at.runtime.pass(8_000);

    const pauses = syncs.slice(1).map((ms, i) => ms - (syncs[i] ?? 0) - 1);
    expect(pauses).toEqual([25, 50, 100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
  });
});
