import type { FaultId } from '@holdfast/core/backend';
import { BATCH, batchOf, play, type Schedule, schedulesFor } from '@holdfast/harness/simulator';
import { setupOf } from '../../harness/test/kit/search.ts';
import type { Column } from './bench.ts';

/** Counts of schedules in which, after the faults, a healthy client beside a quorum waited longer than the bound. */
export interface Waited {
  readonly fault: FaultId;
  readonly column: string;
  readonly schedules: number;
  readonly times: number;
  readonly first?: number;
  readonly message?: string;
}

/** Faults that can leave state behind that a client waits for; the other faults are variants of these. */
export const LIVENESS_FAULTS: readonly FaultId[] = [
  'none',
  'lost-reply',
  'server-stop',
  'client-cut',
  'holder-crash',
];

/**
 * The complaints that count. State that is left behind does not: a client library keeps connections, timers and
 * subscriptions of its own, and does not promise to end them.
 */
const WAITED =
  /waited \d+ ms for|never came to an end|never ended|never got its turn|comes to an end/;

/** Plays schedules after which progress is demanded, of every kind that the column is tried by. */
export async function tryLiveness(
  { name, subject, setups }: Column,
  fault: FaultId,
  { schedules, seed }: { readonly schedules: number; readonly seed: number },
): Promise<Waited> {
  const messages: { readonly n: number; readonly message: string }[] = [];
  for (const setup of setups) {
    const generated = schedulesFor(
      [fault],
      setupOf({ subject, setup: { ...setup, aftermath: true } }),
    );
    for (const [i, schedule] of firstOf(generated, seed, schedules).entries()) {
      const { complaints } = await play(schedule, subject);
      const message = complaints.find((each) => WAITED.test(each));
      if (message !== undefined) messages.push({ n: i + 1, message });
    }
  }
  const [first] = messages.toSorted((a, b) => a.n - b.n);
  return {
    fault,
    column: name,
    schedules: schedules * setups.length,
    times: messages.length,
    ...(first === undefined ? {} : { first: first.n, message: first.message }),
  };
}

function firstOf(
  generated: ReturnType<typeof schedulesFor>,
  seed: number,
  count: number,
): readonly Schedule[] {
  const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, i) =>
    batchOf(generated, seed, i),
  );
  return batches.flat().slice(0, count);
}
