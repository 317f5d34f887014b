import type { FaultId } from '@holdfast/core/backend';
import { migration } from '@holdfast/postgres';
import { describe, expect, test } from 'vitest';
import { judgeResource } from '../../src/check/resource.ts';
import { FAULTS } from '../../src/faults/index.ts';
import { subjectOf } from '../../src/locks/index.ts';
import { setupOf } from '../../src/search/index.ts';
import { clusterOf, loadServers } from '../../src/servers/cluster-of.ts';
import { EtcdCluster } from '../../src/servers/etcd/simulated/cluster.ts';
import type { ClusterOf } from '../../src/sim/schedule/cluster.ts';
import { type PlayResult, play } from '../../src/sim/schedule/play.ts';
import { batchOf, type Schedule, type Subject, schedulesFor } from '../../src/simulator/index.ts';

const SCHEDULES = 4;
/** From it on, not every whole number is a double. */
const INEXACT = 2n ** 53n;

interface Store {
  readonly subject: Subject;
  readonly clusterOf: ClusterOf;
}

interface Case {
  readonly name: string;
  readonly faults: readonly FaultId[];
  /** The store, once its last token was this one. */
  readonly from: (token: bigint) => Store;
  /** Tokens of ordinary size: above every time of the run, in µs. */
  readonly usual: bigint;
}

const CASES: readonly Case[] = [
  {
    name: 'etcd',
    faults: ['pause', 'failover', 'lost-reply'],
    from: (firstRevision) => ({
      subject: subjectOf('etcd'),
      clusterOf: (world, schedule) => new EtcdCluster(world, schedule, { size: 3, firstRevision }),
    }),
    usual: 1n,
  },
  ...['postgres', 'postgres-synchronous'].map(
    (name): Case => ({
      name,
      faults: ['pause', 'lost-reply'],
      from: (token) => ({
        subject: {
          ...subjectOf(name),
          schema: () => `${migration()}
INSERT INTO holdfast.locks_v1 (namespace, key, owner, expires_at, token)
SELECT 'holdfast', 'k', NULL, clock_timestamp(), '${token}'::bigint`,
        },
        clusterOf,
      }),
      usual: 2n ** 52n,
    }),
  ),
];

/** A history whose tokens count from the one before the first. */
function relative({ history }: PlayResult, token: bigint): readonly unknown[] {
  return history.map((event) =>
    'token' in event && event.token !== undefined
      ? { ...event, token: `${BigInt(event.token) - token}` }
      : event,
  );
}

async function played({ subject, clusterOf: of }: Store, schedule: Schedule): Promise<PlayResult> {
  await loadServers(subject);
  return await play({ faults: FAULTS, clusterOf: of }, schedule, subject, { guard: true });
}

describe.each(CASES)('$name', ({ faults, from, usual }) => {
  test.each(faults)(`%s: tokens from 2^53 on differ as smaller ones do`, async (fault) => {
    const schedules = batchOf(
      schedulesFor([fault], setupOf({ subject: from(usual).subject })),
      1,
      0,
    );
    let granted = 0;
    for (const schedule of schedules.slice(0, SCHEDULES)) {
      const small = await played(from(usual), schedule);
      const large = await played(from(INEXACT), schedule);

      expect(large.complaints).toEqual(small.complaints);
      expect(relative(large, INEXACT)).toEqual(relative(small, usual));
      expect(judgeResource(large.history, true)).toEqual(judgeResource(small.history, true));
      for (const event of large.history)
        if (event.type === 'granted' && BigInt(event.token ?? 0) > INEXACT) granted++;
    }

    expect(granted).toBeGreaterThan(SCHEDULES);
  });
});
