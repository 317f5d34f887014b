import type { FaultId } from '@holdfast/core/backend';
import {
  BATCH,
  batchOf,
  keepGuard,
  type Schedule,
  type Subject,
  schedulesFor,
} from '@holdfast/harness/simulator';
import type { CallOptions, RedisNode } from '@holdfast/redis/port';
import { openRedisSimple } from '@holdfast/redis-simple';
import { describe, expect, test } from 'vitest';
import { subjectOf } from '../../../harness/test/kit/locks.ts';
import {
  playGuarded,
  setupOf,
  type TargetProperty,
  violationOf,
} from '../../../harness/test/kit/search.ts';

const PROPERTIES: readonly TargetProperty[] = [
  { property: 'validity', fenced: false },
  { property: 'resource', fenced: true },
];
/** After a failover the new master has no replica, and a client that waits without end would never be served. */
const WAIT_MS = 2_000;

const without = subjectOf('redis-simple');
/** Its one replica must acknowledge, which is all of them. */
const withAll = waiting((node) => node);
const withoutBehindSentinels = subjectOf('redis-simple/sentinel');
const withAllBehindSentinels = waiting((node) => node, withoutBehindSentinels);
/** A renewal counts without. */
const withoutRenewals = waiting((node) =>
  changed(node, (name, { acknowledged, ...rest }) =>
    name === 'renew' || acknowledged === undefined ? rest : { ...rest, acknowledged },
  ),
);

function waiting(through: (node: RedisNode) => RedisNode, subject = without): Subject {
  return {
    ...subject,
    open: ({ node }, host) => openRedisSimple({ node: through(node), waitReplicas: 1 }, host),
  };
}

/** Changes the options of scripts on their way to the node. */
function changed(
  node: RedisNode,
  change: (name: string, options: CallOptions) => CallOptions,
): RedisNode {
  return {
    address: node.address,
    command: (args, options) => node.command(args, options),
    script: (script, keys, args, options) =>
      node.script(script, keys, args, change(script.name, options)),
    subscribe: (channel, listener) => node.subscribe(channel, listener),
    close: () => node.close(),
  };
}

interface Played {
  /** The first violation. */
  readonly violation: string | undefined;
  /** Writes that clients completed. */
  readonly accepted: number;
  /** Schedules in which the failed master had a lock that its replica did not have. */
  readonly lost: number;
}

/** Plays schedules of a fault until one violates a property, with a replica whose clock is so far ahead. */
async function played(
  subject: Subject,
  fault: FaultId,
  schedules: number,
  { replicaClockMs = 0, seed = 1 } = {},
): Promise<Played> {
  const generated = schedulesFor([fault], setupOf({ subject, setup: { replicaClockMs } }));
  const releaseGuard = keepGuard();
  let accepted = 0;
  let lost = 0;
  try {
    for (let n = 0; n < schedules; n++) {
      const schedule = limited(batchOf(generated, seed, Math.floor(n / BATCH))[n % BATCH]);
      const result = await playGuarded(schedule, subject, { guard: true });
      accepted += result.accepted;
      if (result.sometimes.has('an unreplicated lock was lost')) lost++;
      const violation = PROPERTIES.map((each) => violationOf(result, each)).find(Boolean);
      if (violation !== undefined) return { violation: violation.message, accepted, lost };
    }
  } finally {
    releaseGuard();
  }
  return { violation: undefined, accepted, lost };
}

function limited(schedule: Schedule | undefined): Schedule {
  if (schedule === undefined) throw new RangeError('there is no such schedule');
  const ops = schedule.ops.map((op) => ({ ...op, waitMs: op.waitMs ?? WAIT_MS }));
  return { ...schedule, ops };
}

/** What acknowledgements buy, and what not, in both directions; `schedules` of each in which the lock has to hold. */
export function waitReplicasTests(schedules: number): void {
  describe.each(['failover', 'split-brain'] as const)('under %s', (fault) => {
    test('a lock that no replica acknowledges breaks', async () => {
      expect((await played(without, fault, 500)).violation).toBeDefined();
    });

    test(`one that all replicas acknowledge holds in ${schedules} schedules, also with a clock behind`, async () => {
      for (const replicaClockMs of [0, -5_000]) {
        const { violation, accepted, lost } = await played(withAll, fault, schedules / 2, {
          replicaClockMs,
        });
        expect(violation).toBeUndefined();
        // Clients were served, and masters failed that had a lock which no replica had yet.
        expect(accepted).toBeGreaterThan(schedules / 2);
        expect(lost).toBeGreaterThan(0);
      }
    });
  });

  // Not under failover: the new master has no replica, and grants nothing that could overlap.
  test('one whose renewals no replica acknowledges breaks when two masters live', async () => {
    // The seed that shows it soonest: the 19th schedule.
    const { violation } = await played(withoutRenewals, 'split-brain', 500, { seed: 2 });
    expect(violation).toBeDefined();
  });

  test('a replica whose clock is ahead frees keys early, although all replicas have acknowledged them', async () => {
    const { violation } = await played(withAll, 'split-brain', 500, { replicaClockMs: 5_000 });
    expect(violation).toBeDefined();
  });

  describe('behind Sentinels', () => {
    test('a lock that no replica acknowledges breaks under failover', async () => {
      expect((await played(withoutBehindSentinels, 'failover', 500)).violation).toBeDefined();
    });

    test(`one that all replicas acknowledge holds under failover in ${schedules} schedules`, async () => {
      const { violation, accepted, lost } = await played(
        withAllBehindSentinels,
        'failover',
        schedules,
      );
      expect(violation).toBeUndefined();
      expect(accepted).toBeGreaterThan(schedules);
      expect(lost).toBeGreaterThan(0);
    });

    // Under failover alone 80 schedules do not show it: the new master has no replica, and grants nothing.
    test('a replica whose clock is ahead frees acknowledged keys early when two masters live', async () => {
      const { violation } = await played(withAllBehindSentinels, 'split-brain', 500, {
        replicaClockMs: 5_000,
      });
      expect(violation).toBeDefined();
    });
  });
}
