import type { HistoryEvent } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { growthOf } from './support/topology-soak/growth.ts';
import { explainedShare, explanationOf } from './support/topology-soak/injection.ts';
import { SoakJudge } from './support/topology-soak/judge.ts';
import type { Arm } from './support/topology-soak/orders.ts';
import type { JudgedViolation } from './support/topology-soak/recorder.ts';
import { report } from './support/topology-soak/report.ts';
import { type Soak, type SoakOptions, soak } from './support/topology-soak/soak.ts';
import { countsOf } from './support/topology-soak/stalls.ts';

/** Half of it on each topology. */
const SOAK_MS = Number(process.env['HOLDFAST_SOAK_MINUTES'] ?? 60) * 60_000;
const PROCESSES = Number(process.env['HOLDFAST_SOAK_PROCESSES'] ?? 64);
const MORE_MS = 600_000;
/** Runs that must fail are short. */
const SHORT: Pick<SoakOptions, 'ms' | 'processes'> = { ms: 80_000, processes: 8 };

const seed = process.env['HOLDFAST_SEED'] ?? `${Date.now()}`;
const soaks: Soak[] = [];

function violationsIn({ violations }: Soak, arm: Arm): readonly JudgedViolation[] {
  return violations.filter((each) => each.arm === arm);
}

function unexplained({ violations }: Soak): readonly JudgedViolation[] {
  return violations.filter(({ explainedBy }) => explainedBy === undefined);
}

const grantsIn = (of: Soak, arm: Arm): number => countsOf(of.outcomes[arm])['granted'] ?? 0;

const killsBehindLag = (kind: string): boolean => /killed, .* lagging/.test(kind);

test.each(['sentinel', 'cluster'] as const)(
  'on a %s under random faults no lease that all replicas acknowledged overlaps another, and failovers explain all that others do',
  async (topology) => {
    const done = await soak({ topology, seed, ms: SOAK_MS / 2, processes: PROCESSES });
    soaks.push(done);
    console.log(await report(soaks));

    expect(done.flaws).toEqual([]);
    expect(done.failures).toEqual([]);
    expect(done.stuck).toBe(0);
    expect(violationsIn(done, 'all')).toEqual([]);
    expect(unexplained(done)).toEqual([]);
    // The same faults break the locks that wait for no replica. So the run shows something.
    expect(violationsIn(done, 'none').length).toBeGreaterThan(0);
    for (const arm of ['all', 'none'] as const)
      expect(grantsIn(done, arm)).toBeGreaterThan(SOAK_MS / 100);
    for (const { name, before, after, most } of growthOf(done, done))
      expect(after, name).toBeLessThan(before + most);
    expect(done.locksLeft).toBe(0);
  },
  SOAK_MS + MORE_MS,
);

test('the soak detects a failover that is not in its log', async () => {
  const done = await soak({
    topology: 'sentinel',
    seed,
    ...SHORT,
    only: killsBehindLag,
    unlogged: killsBehindLag,
  });

  expect(unexplained(done).length).toBeGreaterThan(0);
});

test('the soak detects a lock that does not wait for its replicas', async () => {
  const mutation = {
    file: 'redis-simple/src/acknowledged.ts',
    find: 'if (waitReplicas === undefined) return options;',
    replace: 'if (waitReplicas !== 0) return options;',
  };
  const done = await soak({ topology: 'sentinel', seed, ...SHORT, only: killsBehindLag, mutation });

  expect(violationsIn(done, 'all').length).toBeGreaterThan(0);
});

test('the soak detects a lock that grants what another client holds', async () => {
  const mutation = {
    file: 'redis-simple/src/scripts.ts',
    find: "if holder ~= contender or tonumber(m) >= tonumber(n) then return redis.call('PTTL', KEYS[1]) end",
    replace: '',
  };
  const done = await soak({ topology: 'cluster', seed, ...SHORT, only: () => false, mutation });

  expect(unexplained(done).length).toBeGreaterThan(0);
});

test('the soak detects growth of heap, sockets and timers', async () => {
  const leak = [
    'globalThis.leaked ??= [];',
    'leaked.push(setTimeout(() => undefined, 1e8), Array.from({ length: 10_000 }, () => ({})));',
    "leaked.push(process.getBuiltinModule('node:fs').openSync('/dev/null'));",
  ];
  const mutation = {
    file: 'topology-soak/soak-process.ts',
    find: 'await client.release(key, hold, lease);',
    replace: `await client.release(key, hold, lease); if (draw.next() < 0.05) { ${leak.join(' ')} }`,
  };
  const done = await soak({
    topology: 'sentinel',
    seed,
    ms: 90_000,
    processes: 8,
    only: () => false,
    mutation,
  });

  const grown = growthOf(done, done).filter(({ before, after, most }) => after >= before + most);
  expect(grown.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['heap, MB', 'open files', 'timers']),
  );
});

test('a few locks more are load, many are growth, and so is one fence more than there are keys', () => {
  const span = { fromMs: 0, untilMs: 6_000 };
  const grown = (fences: number, locks: number): readonly string[] => {
    const keys = [
      { all: 2_010, locks: 10, atMs: 1_500 },
      { all: fences + locks, locks, atMs: 5_500 },
    ];
    return growthOf({ usage: [], keys }, span)
      .filter(({ before, after, most }) => after >= before + most)
      .map(({ name }) => name);
  };

  expect(grown(2_001, 70)).toEqual([]);
  expect(grown(2_001, 80)).toEqual(['locks']);
  expect(grown(2_002, 10)).toEqual(['fences']);
});

type Told = readonly [
  hold: string,
  atMs: number,
  type: 'granted' | 'release',
  untilMs?: number,
  token?: string,
];

/** The events of holds of one key, each requested before its grant. */
function toldBy(all: readonly Told[]): HistoryEvent[] {
  return all.flatMap<HistoryEvent>(
    ([hold, atMs, type, validUntilMs = 0, token = `${atMs}`], at) => {
      const event = { seq: 2 * at, atMs, client: hold, key: 'none/k', hold };
      if (type === 'release') return [{ ...event, type }];
      return [
        { ...event, type: 'acquire' as const },
        { ...event, seq: 2 * at + 1, type, validUntilMs, token },
      ];
    },
  );
}

test('the judge of the soak waits for late events, and reports each overlap once, and tokens that went back', () => {
  const judge = new SoakJudge();
  judge.add(
    toldBy([
      ['A', 1_000, 'granted', 5_000],
      ['B', 2_000, 'granted', 9_000],
    ]),
  );
  judge.judge(10_000);
  expect(judge.violations).toEqual([]);
  // The release of A was late, so B did not meet it.
  judge.add(toldBy([['A', 1_500, 'release']]));
  judge.judge(60_000);
  expect(judge.violations).toEqual([]);

  judge.add(toldBy([['C', 3_000, 'granted', 4_000, '1']]));
  judge.add(
    toldBy([
      ['D', 70_000, 'granted', 74_000],
      ['E', 71_000, 'granted', 75_000, '7'],
    ]),
  );
  judge.judge(105_000);
  judge.add(
    toldBy([
      ['F', 80_000, 'granted', 99_000],
      ['G', 81_000, 'granted', 99_500],
    ]),
  );
  // Both grants are old enough by now, and when the overlap ended is not known.
  judge.judge(107_000);
  judge.add(toldBy([['F', 90_000, 'release']]));
  judge.end();

  const found = judge.violations.map((each) => `${each.kind} ${each.fromMs}-${each.untilMs}`);
  expect(found.toSorted()).toEqual([
    'overlap 3000-4000',
    'overlap 71000-74000',
    'overlap 81000-90000',
    'token 3000-3000',
    'token 71000-71000',
  ]);
  expect(judge.flaws).toEqual([]);
});

test('a change of the master explains what lies between the promotion and a ttl after the end of the old master', () => {
  const log = [
    { kind: 'slots moved', fromMs: 0, untilMs: 900, changes: [] },
    {
      kind: 'master paused',
      fromMs: 500,
      untilMs: 5_000,
      changes: [{ fromMs: 1_000, untilMs: 2_000 }],
    },
  ];
  const explained = (fromMs: number, untilMs: number): string | undefined =>
    explanationOf({ fromMs, untilMs }, log, 500)?.kind;

  expect(explained(1_000, 2_500)).toBe('master paused');
  expect(explained(999, 1_100)).toBeUndefined();
  expect(explained(2_400, 2_501)).toBeUndefined();
  expect(explainedShare(log, { fromMs: 0, untilMs: 3_000 }, 500)).toBe(0.5);
});
