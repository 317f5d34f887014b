import { memoryMarks } from '@holdfast/guard';
import { openLocks } from 'holdfast';
import { expect, test } from 'vitest';
import { Telemetry } from './support/telemetry.ts';

const BACKEND = 'holdfast_backend="memory"';

test('calls, holds, losses and refused writes are counted, each once', async () => {
  using telemetry = new Telemetry();
  const locks = await openLocks('memory:');
  await locks.use('a', () => undefined);
  await locks.use(['a', 'b'], () => undefined);
  const lost = await locks.acquire('a');
  await locks.tryAcquire('a');
  await locks.forceRelease('a');
  await lost.extend(60_000).catch(() => undefined);
  await lost.release();
  const held = await locks.acquire('b');
  const marks = memoryMarks({ replicas: 1 });
  await marks.admit({ key: 'a', fencingToken: 2n });
  expect(() => marks.admit({ key: 'a', fencingToken: 1n })).toThrow(/refused/);

  expect(await telemetry.samples()).toEqual(
    expect.arrayContaining([
      `holdfast_acquire_duration_count{${BACKEND},holdfast_outcome="acquired"} 4`,
      `holdfast_acquire_duration_count{${BACKEND},holdfast_outcome="busy"} 1`,
      `holdfast_acquire_active{${BACKEND}} 0`,
      `holdfast_hold_duration_count{${BACKEND},holdfast_outcome="released"} 3`,
      `holdfast_hold_duration_count{${BACKEND},holdfast_outcome="lost"} 1`,
      `holdfast_hold_active{${BACKEND}} 1`,
      `holdfast_hold_lost_total{${BACKEND},holdfast_reason="renewal"} 1`,
      'holdfast_fence_refused_total{} 1',
      // Present before the first late one, whose increase would not be seen otherwise.
      `holdfast_renewals_total{${BACKEND},holdfast_late="true"} 0`,
    ]),
  );
  await held.release();
  await locks.close();
});

test('after it was stopped, nothing is counted', async () => {
  const telemetry = new Telemetry();
  telemetry[Symbol.dispose]();
  const locks = await openLocks('memory:');
  await locks.use('a', () => undefined);
  await locks.close();

  expect(await telemetry.samples()).toEqual([]);
  expect(telemetry.spans).toEqual([]);
});
