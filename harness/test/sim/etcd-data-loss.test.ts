import { play, storyFromString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { fifo } from '../../src/check/index.ts';
import { subjectOf } from '../kit/locks.ts';

/** All servers restart without their data while clients wait, and one of them queues anew. */
const ALL_FORGET =
  'r1.hVFBbsMgEPzLnqnkuJUb-dpzX1DlgGGpkQkgmySNIv7ewaFWVbXqiWWYmR0NNzpTvxM0SDWx19QTJ6VJkJEnl3CdeUlyTg98jOlacPaKwTPSLSwoziHyjJeejDUBhEWNrE-Oqf_yTsm9LpiaphHkZILDdQUE-aAZ06PAnuiskrispPdCwFThFxfUVKEQcb7dyCIFLJSz7EtSieUyVdIYnN4sPF8wromzuAvbb8JhE-72T_9LEfaXnW2LLH9KD7XQe_LJrk3_rLaW8SzoMrIv_Q1swowmQZXlUwCWvyptD5QFHcuufMDEH5EVEm3mZxtK1UU1ymUE0hiYqK7tuDNK6z3l_Ak';

test('whoever queued before all servers lost their data had queued earlier, though revisions begin anew', async () => {
  const { schedule } = storyFromString(ALL_FORGET);

  const { history, queueTickets = [] } = await play(schedule, subjectOf('etcd'));

  expect(new Set(queueTickets.map(({ hold }) => hold)).size).toBeGreaterThan(1);
  expect(fifo(history, queueTickets).kind).toBe('ok');
});
