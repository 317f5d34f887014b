import { describe, expect, test } from 'vitest';
import { cellIn, loadMatrix, rowName, TARGET_OF } from '../../harness/test/kit/matrix.ts';
import { search } from '../../harness/test/kit/search.ts';
import {
  besideNeighbour,
  leavingPlain,
  redlockBesideNeighbour,
} from './support/plain-neighbour.ts';

const SCHEDULES = 12;

const REDLOCK_ROWS = loadMatrix().rows.map((row) => {
  const { validity } = cellIn(row, 'redlock').claims;
  return [rowName(row), row, validity.expect] as const;
});

const ROWS = loadMatrix().rows.map((row) => {
  const { validity } = cellIn(row, 'redis-simple').claims;
  return [rowName(row), row, validity.expect] as const;
});

const among = (expected: string): typeof ROWS => ROWS.filter(([, , claim]) => claim === expected);

describe('the plain layout and a library with SET NX PX exclude each other wherever redis-simple does', () => {
  test.each(among('holds'))('%s', async (_, { fault, setup }) => {
    const { counterexample, tally } = await search({
      subject: besideNeighbour(),
      faults: [fault],
      setup,
      seed: 1,
      budget: SCHEDULES,
      targets: [TARGET_OF.validity],
    });

    expect(tally.accepted, 'it proved nothing').toBeGreaterThan(0);
    expect(counterexample?.violation.message).toBeUndefined();
  });
});

describe('and not where it does not', () => {
  test.each(among('breaks'))('%s', async (_, { fault, setup }) => {
    const { counterexample } = await search({
      subject: besideNeighbour(),
      faults: [fault],
      setup,
      seed: 1,
      budget: 2_000,
      targets: [TARGET_OF.validity],
    });

    expect(counterexample?.violation.message).toMatch(/both held k validly/);
  });
});

const ON_THE_WAY = among('holds').filter(([, { fault }]) =>
  ['none', 'lost-reply', 'pause', 'holder-crash'].includes(fault),
);

describe.each(['neighbour', 'new'] as const)(
  'moving out of the plain layout beside %s',
  (other) => {
    test.each(ON_THE_WAY)('excludes: %s', async (_, { fault, setup }) => {
      const { counterexample, tally } = await search({
        subject: leavingPlain(other),
        faults: [fault],
        setup,
        seed: 1,
        budget: SCHEDULES,
        targets: [TARGET_OF.validity],
      });

      expect(tally.accepted, 'it proved nothing').toBeGreaterThan(0);
      expect(counterexample?.violation.message).toBeUndefined();
    });
  },
);

describe('the plain layout of redlock and a neighbour on its nodes exclude each other wherever redlock does', () => {
  test.each(REDLOCK_ROWS.filter(([, , claim]) => claim === 'holds'))(
    '%s',
    async (_, { fault, setup }) => {
      const { counterexample, tally } = await search({
        subject: redlockBesideNeighbour(),
        faults: [fault],
        setup,
        seed: 1,
        budget: SCHEDULES / 2,
        targets: [TARGET_OF.validity],
      });

      expect(tally.accepted, 'it proved nothing').toBeGreaterThan(0);
      expect(counterexample?.violation.message).toBeUndefined();
    },
  );
});

test('and not where it does not: a node that restarts empty', async () => {
  const [, row] = REDLOCK_ROWS.find(([, { fault }]) => fault === 'restart-empty') ?? [];
  const { counterexample } = await search({
    subject: redlockBesideNeighbour(),
    faults: ['restart-empty'],
    ...(row?.setup && { setup: row.setup }),
    seed: 1,
    budget: 2_000,
    targets: [TARGET_OF.validity],
  });

  expect(counterexample?.violation.message).toMatch(/both held k validly/);
});
