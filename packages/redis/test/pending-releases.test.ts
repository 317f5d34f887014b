import type { Release } from '@holdfast/core';
import { expect, test } from 'vitest';
import { deferred, VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { PendingReleases } from '../src/recipe/pending-releases.ts';

const UNKNOWN: Release = { kind: 'unknown', cause: new Error('no reply') };
const RELEASED: Release = { kind: 'released' };

/** A value that may be stored for `storedMs` from now on, and the times at which its release was tried. */
function scene(storedMs: number, replies: readonly (Release | Promise<Release>)[] = []) {
  const runtime = new VirtualRuntime();
  const from = runtime.now();
  const triedAtMs: number[] = [];
  const pending = {
    release: (): Promise<Release> => {
      const reply = replies[triedAtMs.length] ?? UNKNOWN;
      triedAtMs.push(runtime.elapsedMs(from));
      return Promise.resolve(reply);
    },
    leftMs: (): number => Math.max(0, storedMs - runtime.elapsedMs(from)),
  };
  return { runtime, triedAtMs, pending, releases: new PendingReleases(runtime) };
}

test('a release is tried again after pauses that double up to two seconds', async () => {
  const { runtime, triedAtMs, pending, releases } = scene(10_000);
  runtime.jitter = 1;

  releases.add(pending);
  await runtime.pass(9_000);

  expect(triedAtMs).toEqual([50, 150, 350, 750, 1_550, 3_150, 5_150, 7_150]);
});

test('a release whose pauses have no limit is tried ever more rarely', async () => {
  const { runtime, triedAtMs, pending, releases } = scene(10_000);
  runtime.jitter = 1;

  releases.add({ ...pending, pauseMsMax: Number.POSITIVE_INFINITY });
  await runtime.pass(9_000);

  expect(triedAtMs).toEqual([50, 150, 350, 750, 1_550, 3_150, 6_350]);
});

test('half of every pause is random', async () => {
  const { runtime, triedAtMs, pending, releases } = scene(1_000);

  releases.add(pending);
  await runtime.pass(100);

  expect(triedAtMs).toEqual([25, 75]);
});

test('closing tries a release one last time while its value may be stored', async () => {
  const { runtime, triedAtMs, pending, releases } = scene(20);

  releases.add(pending);
  runtime.block(19);
  await releases.close();

  expect(triedAtMs).toEqual([19]);
});

test('closing does not try to release a value that must have expired', async () => {
  const { runtime, triedAtMs, pending, releases } = scene(20);

  releases.add(pending);
  runtime.block(20);
  await releases.close();

  expect(triedAtMs).toEqual([]);
});

test('closing waits for a try that is under way, and makes no other beside it', async () => {
  const reply = deferred<Release>();
  const { runtime, triedAtMs, pending, releases } = scene(1_000, [reply.promise]);
  let isClosed = false;

  releases.add(pending);
  await runtime.pass(25);
  const closing = releases.close().then(() => {
    isClosed = true;
  });
  await runtime.pass(0);
  const wasClosed = isClosed;
  reply.resolve(RELEASED);
  await closing;

  expect([wasClosed, triedAtMs]).toEqual([false, [25]]);
});

test('a second close does not try again', async () => {
  const { triedAtMs, pending, releases } = scene(1_000);

  releases.add(pending);
  await releases.close();
  await releases.close();

  expect(triedAtMs).toEqual([0]);
});
