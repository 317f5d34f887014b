import { expect, test } from 'vitest';
import { AttemptLog } from '../src/attempt-log.ts';
import { callDeadlineMs } from '../src/validity.ts';
import { VirtualRuntime } from './kit/virtual-runtime.ts';

const TTL_MS = 1_000;
const CALL_MS = callDeadlineMs(TTL_MS);

test.each([
  ['a whole call', CALL_MS, 'unknown'],
  ['less than a call', CALL_MS - 1, 'busy'],
])('a missing reply counts if the attempt had %s', (_, attemptMs, outcome) => {
  const runtime = new VirtualRuntime();
  const request = { key: 'k', contender: 'c', ttlMs: TTL_MS, waitMs: 5_000, startedMs: 0 };
  const log = new AttemptLog(runtime, 'fake', request, () => {});
  const from = runtime.now();

  log.start(from, from.monotonicMs + CALL_MS);
  log.record({ kind: 'busy' });
  log.start(from, from.monotonicMs + attemptMs);
  log.record({ kind: 'unknown', cause: new Error('no reply') });

  expect(log.lastOutcome?.kind).toBe(outcome);
});
