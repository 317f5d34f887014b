import { assert, constantFrom, double, oneof, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Heartbeat } from '../src/heartbeat.ts';
import { dueInMs, isReusable, LeaderReplies } from '../src/proof-of-life.ts';
import { Bench, T_MS } from './support/bench.ts';
import { HandSession } from './support/hand-session.ts';

const STEP_MS = T_MS / 6;
/** A timer and the clock are rounded to a whole millisecond each. */
const ROUNDED_MS = 2;

/** The number of syncs that the heartbeat has sent. */
function syncs(requests: readonly string[]): number {
  return requests.filter((request) => request === 'sync locks').length;
}

describe('the leader', () => {
  test('is asked every sixth of T again when a session is used that had gone to rest', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await at.let((await a.take('c1')).release());
    await at.runtime.pass(4 * T_MS);
    a.session.ping();
    await at.runtime.pass(T_MS / 3);
    await a.take('c2');
    a.requests();

    await at.runtime.pass(3 * T_MS + 100);

    expect(syncs(a.requests())).toBe(18);
  });

  test('is not asked where a creation has asked it a moment ago', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    for (let i = 0; i < 20; i++) {
      await a.take(`c${i}`, `key ${i}`);
      await at.runtime.pass(STEP_MS / 2);
    }

    expect(syncs(a.requests())).toBe(0);
  });

  test('is asked no sooner than a timer may be early by', () => {
    expect(dueInMs(STEP_MS - ROUNDED_MS, T_MS)).toBe(0);
    expect(dueInMs(STEP_MS - ROUNDED_MS - 1, T_MS)).toBe(ROUNDED_MS + 1);
  });

  test('has to be asked anew for a proof as soon as it has to be asked at all', () => {
    const sinceDue = oneof(
      constantFrom(-ROUNDED_MS, 0),
      double({ min: -20, max: 20, noNaN: true }),
    );
    assert(
      property(sinceDue, (ms) => {
        const ageMs = STEP_MS + ms;

        expect(isReusable(ageMs, T_MS / 2, T_MS)).toBe(dueInMs(ageMs, T_MS) > 0);
      }),
    );
  });
});

describe('a session that is over', () => {
  test.each(['expired', 'auth-failed'] as const)('because it %s keeps no timer', async (state) => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.take('c1');

    a.session.expire(state);
    await at.runtime.pass(10);

    expect(at.runtime.timers.size).toBe(0);
  });
});

function heartbeat(): { at: Bench; beats: Heartbeat; count: { asks: number } } {
  const at = new Bench();
  const { runtime } = at;
  const session = new HandSession(at.tree, runtime, 1n, T_MS);
  const count = { asks: 0 };
  const ask = async (): Promise<void> => void (count.asks += 1);
  const beats = new Heartbeat({
    session,
    leaderReplies: new LeaderReplies(session),
    runtime,
    syncWithLeader: ask,
  });
  return { at, beats, count };
}

describe('a heartbeat', () => {
  test('goes on for one who needs it, however often another says that it does not', async () => {
    const { at, beats, count } = heartbeat();
    beats.keepRunning();
    const rest = beats.keepRunning();
    rest();
    rest();

    await at.runtime.pass(10 * T_MS);

    expect(count.asks).toBe(60);
  });

  test('counts the end of a need once, by when that was', async () => {
    const { at, beats, count } = heartbeat();
    const rest = beats.keepRunning();
    rest();
    await at.runtime.pass(T_MS);
    rest();
    await at.runtime.pass(9 * T_MS);

    // The twelfth is due when 2 T are over.
    expect(count.asks).toBe(11);
  });

  test('that was stopped does not begin again', () => {
    const { at, beats } = heartbeat();
    beats.stop();

    beats.keepRunning();

    expect(at.runtime.timers.size).toBe(0);
  });
});
