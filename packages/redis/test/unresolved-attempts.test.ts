import type { Release } from '@holdfast/core';
import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { NodeDoubt } from '../src/port.ts';
import { PendingReleases } from '../src/recipe/pending-releases.ts';
import { UnresolvedAttempts } from '../src/recipe/unresolved-attempts.ts';

const TTL_MS = 1_000;
/** A tenth of the ttl until the request arrives, then the ttl by a slow clock. */
const STORED_MS_MAX = 100 + TTL_MS + 12;

test('an attempt is in doubt for as long as its value may be stored, and no longer', async () => {
  const runtime = new VirtualRuntime();
  const attempts = new UnresolvedAttempts(runtime, new PendingReleases(runtime), TTL_MS);
  const cause = new Error('no reply');

  attempts.add(() => Promise.resolve({ kind: 'unknown', cause }), runtime.now(), cause);
  await runtime.pass(STORED_MS_MAX - 1);
  const before = attempts.isEmpty;
  await runtime.pass(1);

  expect([before, attempts.isEmpty]).toEqual([false, true]);
});

/** The attempts of a contender, and the times at which one was released. */
function scene() {
  const runtime = new VirtualRuntime();
  const from = runtime.now();
  const pending = new PendingReleases(runtime);
  const attempts = new UnresolvedAttempts(runtime, pending, TTL_MS);
  const releasedAtMs: number[] = [];
  const release = (): Promise<Release> => {
    releasedAtMs.push(runtime.elapsedMs(from));
    return Promise.resolve({ kind: 'not-held' });
  };
  return { runtime, pending, attempts, releasedAtMs, release };
}

test('an attempt without an undo behind it is released when the backend closes in the same step', async () => {
  const { runtime, pending, attempts, releasedAtMs, release } = scene();

  attempts.add(release, runtime.now(), new Error('no reply'));
  await pending.close();

  expect(releasedAtMs).toEqual([0]);
});

test('an attempt is released ever more rarely', async () => {
  const { runtime, attempts, releasedAtMs, release } = scene();
  const ttlMs = 30_000;

  attempts.add(release, runtime.now(), new Error('no reply'), ttlMs);
  await runtime.pass(ttlMs);

  // From 25 ms on each pause is twice as long as the one before.
  expect(releasedAtMs).toEqual([25, 75, 175, 375, 775, 1_575, 3_175, 6_375, 12_775, 25_575]);
});

test('a contender that settles does not wait for an attempt whose value has expired', async () => {
  const { runtime, attempts, release } = scene();
  const neverUndone = new NodeDoubt('no reply', 'ordered', new Promise(() => {}));
  let isSettled = false;

  attempts.add(release, runtime.now(), neverUndone);
  await runtime.pass(STORED_MS_MAX);
  attempts.add(release, runtime.now(), new Error('no reply'));
  void attempts.settle().then(() => {
    isSettled = true;
  });
  await runtime.pass(0);

  expect(isSettled).toBe(true);
});
