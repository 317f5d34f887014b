import type { FaultId } from '@holdfast/core/backend';
import { FAULT_IDS, type Setup, type Subject, storyToString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../src/locks/index.ts';
import { replayTraced, search } from '../../../src/search/index.ts';

const LIVENESS = { property: 'liveness', fenced: false } as const;
const SEED = 1;
const TIMEOUT_MS = 3_600_000;
/** Otherwise no client had to make progress: some die, and a single one hands nothing over. */
const HANDED_OVER_SHARE_MIN = 0.6;

/** Faults that can happen to a lock without servers. */
const OF_CLIENTS: readonly FaultId[] = [
  'none',
  'delay',
  'reorder',
  'pause',
  'pause-acquire',
  'loop-block',
  'client-clock',
  'drift',
  'holder-crash',
  'suspend',
];

/**
 * Nothing is promised if servers lose acknowledged data. A majority of an ensemble with torn logs may bring back a queue
 * node that was deleted, and no client removes it before its session ends.
 */
const SETUPS: Readonly<Record<string, Partial<Record<FaultId, Partial<Setup>>>>> = {
  zk: { 'torn-log': { affected: 'minority' } },
};

/** Tests that under every fault a healthy client gets the key in bounded time, hands it over, and leaves nothing behind. */
export function livenessTests(name: string, schedules: number): void {
  const subject = subjectOf(name);
  const faults = subject.nodes === 0 ? OF_CLIENTS : FAULT_IDS;
  const budget = Number(process.env['HOLDFAST_SCHEDULES'] ?? schedules);

  test.each(faults)(
    `after %s those that are healthy make progress on ${name}`,
    {
      timeout: TIMEOUT_MS,
    },
    async (fault) => {
      const setup = { aftermath: true, ...SETUPS[name]?.[fault] };
      const searched = await search({
        subject,
        faults: [fault],
        setup,
        targets: [LIVENESS],
        budget,
        seed: SEED,
      });

      expect(
        searched.counterexample?.violation.message,
        await shown(searched.counterexample, subject),
      ).toBeUndefined();
      const { sometimes } = searched.tally;
      const handedOver = sometimes['a key was handed over in an aftermath'] ?? 0;
      expect(handedOver, 'schedules in which a key was handed over').toBeGreaterThanOrEqual(
        budget * HANDED_OVER_SHARE_MIN,
      );
    },
  );
}

async function shown(
  hit: Awaited<ReturnType<typeof search>>['counterexample'],
  subject: Subject,
): Promise<string> {
  if (hit === undefined) return '';
  const { story } = await replayTraced(hit.schedule, subject, LIVENESS);
  return `${hit.violation.message}\nnpx holdfast replay ${storyToString(story)}`;
}
