import type { Subject } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { type NaiveLock, openNaive, subjectOf } from '../harness/test/kit/locks.ts';
import { inModes, VALIDITY } from '../harness/test/kit/modes.ts';
import { search } from '../harness/test/kit/search.ts';
import { earlierEtcd, earlierRedisSimple, earlierZk } from './support/earlier-recipes.ts';

type Env = Parameters<NonNullable<Subject['open']>>[0];

const EARLIER: readonly (readonly [lock: string, open: (env: Env) => NaiveLock])[] = [
  ['redis-simple', ({ node }) => earlierRedisSimple(node)],
  ['zk', ({ openSession }) => earlierZk(() => openSession(Number.POSITIVE_INFINITY))],
  ['etcd', ({ etcd }) => earlierEtcd(etcd)],
];
const CELLS = EARLIER.flatMap(([lock, open]) =>
  (['readers and writers', 'permits'] as const).map((modes) => [lock, modes, open] as const),
);
const BUDGET = 30;

function isEarlier(name: string): boolean {
  return name.startsWith('b');
}

/** As in a rolling upgrade: client B still runs the earlier release, and holds alone; the others hold in modes. */
function upgraded(
  lock: string,
  modes: (typeof CELLS)[number][1],
  open: (env: Env) => NaiveLock,
): Subject {
  const current = inModes(subjectOf(lock), modes);
  return {
    ...current,
    modeOf: (op) =>
      isEarlier(op.client) || current.modeOf === undefined
        ? { kind: 'exclusive' }
        : current.modeOf(op),
    open: async (env, host) => {
      if (isEarlier(host.label)) return await openNaive(open(env), host);
      if (current.open === undefined) throw new Error(`${lock} cannot be opened`);
      return await current.open(env, host);
    },
  };
}

test.each(CELLS)(
  '%s: a process of the earlier release finds the key taken by holders of %s, and they by it',
  { timeout: 120_000 },
  async (lock, modes, open) => {
    const subject = upgraded(lock, modes, open);

    const { counterexample, tally } = await search({
      subject,
      faults: ['none'],
      seed: 1,
      budget: BUDGET,
      targets: [VALIDITY],
    });

    expect(counterexample?.violation.message).toBeUndefined();
    expect(tally.schedules).toBe(BUDGET);
  },
);
