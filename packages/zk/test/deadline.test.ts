import { describe, expect, test } from 'vitest';
import { VirtualRuntime } from '../../redis-simple/test/support/virtual-runtime.ts';
import { Deadline } from '../src/deadline.ts';
import { Bench } from './support/bench.ts';
import { HandSession } from './support/hand-session.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;

async function unanswered(timeoutMs: number): Promise<{ at: Bench; attempt: Promise<unknown> }> {
  const at = new Bench();
  const session = new HandSession(at.tree, at.runtime, 1n, timeoutMs);
  const a = await at.actor('a', { open: async () => session });
  session.next('create', 'stuck');
  return { at, attempt: a.contend('c1').attempt(FOREVER_MS) };
}

describe('an attempt without an answer', () => {
  test('ends after half of T: in all of it the session may end', async () => {
    const { at, attempt } = await unanswered(1_000);
    const fromMs = at.runtime.now().monotonicMs;

    await at.let(attempt);

    expect(at.runtime.now().monotonicMs - fromMs).toBe(500);
  });

  test('keeps the process alive while somebody waits for it, and no longer', async () => {
    const { at, attempt } = await unanswered(1_000);
    const isAwaited = (): boolean => [...at.runtime.timers].some(({ awaited }) => awaited);
    expect(isAwaited()).toBe(true);

    await at.let(attempt);

    expect(isAwaited()).toBe(false);
  });
});

test('a deadline that passes while nothing is asked under it troubles nobody', async () => {
  const runtime = new VirtualRuntime();
  const deadline = new Deadline(runtime, 10);

  // Else the process would be told of a rejection that nobody handles, and end.
  await runtime.pass(10);

  await expect(deadline.limit(new Promise(() => {}))).rejects.toThrow(/no reply within 10 ms/);
});
