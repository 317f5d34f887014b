import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
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
