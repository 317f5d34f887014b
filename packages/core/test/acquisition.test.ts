import { openMemory } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { type AcquireContext, Acquisition } from '../src/acquisition.ts';
import { Background } from '../src/background.ts';
import { DeadlineHeap } from '../src/deadline-heap.ts';
import { createHost } from '../src/host.ts';
import { VirtualRuntime } from './kit/virtual-runtime.ts';

test('an acquisition that is over is not among those that `close` cancels', async () => {
  const runtime = new VirtualRuntime();
  const host = createHost({ runtime });
  const context: AcquireContext = {
    backend: await openMemory({}, host),
    host,
    waitDeadlines: new DeadlineHeap(runtime, { awaited: true }),
    queues: new Map(),
    acquisitions: new Set(),
    background: new Background(),
  };
  const startedMs = runtime.now().monotonicMs;
  const request = { key: 'k', contender: 'c', ttlMs: 1_000, waitMs: 0, startedMs };

  const acquiring = new Acquisition(context, request, { take: (won) => won }).run(undefined);
  expect(context.acquisitions.size).toBe(1);
  await runtime.pass(0);
  await acquiring;

  expect(context.acquisitions.size).toBe(0);
});
