import { describe, expect, test } from 'vitest';
import { parseSchedule, type Schedule, ScheduleError } from '../../src/simulator/index.ts';

const RIGHT: Schedule = {
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 5,
  replicas: 1,
  lagMs: 5,
  replicaClockMs: -300,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 300, renews: true },
    { id: 2, client: 'b', atMs: 10, holdMs: 0, renews: false },
  ],
  faults: [
    { kind: 'pause', client: 'a', when: { before: 'write', n: 1, by: 'a' }, ms: 1_200 },
    { kind: 'failover', nodes: 0b101, when: { after: 'acquire', n: 1, by: 'n3' }, ms: 0 },
    { kind: 'drift', nodes: 1, ppm: -200_000 },
    { kind: 'drift', client: 'b', ppm: 200_000 },
    { kind: 'split-brain', nodes: 1, when: { atMs: 100 }, ms: 500, stay: 'ab' },
    { kind: 'delay', client: 'b', nodes: 31, way: 'reply', label: 'acquire', n: 2, ms: 40 },
    { kind: 'client-cut', client: 'b', nodes: 31, when: { atMs: 7 }, ms: 40, way: 'both' },
  ],
};

const AFTERMATH = { atMs: 900, nodes: 0b10010, how: 'slow', still: 'b', apartMs: 3 } as const;

/** The valid schedule as JSON, with one change. */
function wrong(change: (schedule: Record<string, any>) => void): unknown {
  const copy = JSON.parse(JSON.stringify(RIGHT));
  change(copy);
  return copy;
}

test('reading returns the schedule that was written', () => {
  expect(parseSchedule(JSON.parse(JSON.stringify(RIGHT)))).toEqual(RIGHT);
});

test('clocks may be a fraction of a millisecond apart', () => {
  const schedule = { ...RIGHT, replicaClockMs: 0.281 };

  expect(parseSchedule(JSON.parse(JSON.stringify(schedule)))).toEqual(schedule);
});

test('choices replace faults', () => {
  const { faults: _, ...rest } = RIGHT;
  const steered = { ...rest, faults: [], choices: ['a', 'a>n1', '1002 ms'] };

  expect(parseSchedule(JSON.parse(JSON.stringify(steered)))).toEqual(steered);
});

test('an aftermath is read as it was written', () => {
  const schedule = { ...RIGHT, aftermath: AFTERMATH };

  expect(parseSchedule(JSON.parse(JSON.stringify(schedule)))).toEqual(schedule);
});

test('attempts that were made before, and how long an aftermath has clients hold, are read as they were written', () => {
  const aftermath = { atMs: 0, nodes: 0, how: 'down', still: '', apartMs: 0, holdMs: 20 };
  const schedule = { ...RIGHT, attempts: 9, aftermath };

  expect(parseSchedule(schedule)).toEqual(schedule);
  expect(() => parseSchedule({ ...RIGHT, attempts: 1_001 })).toThrow(/attempts/);
});

test('closings, collections and the use of a lease are read as they were written', () => {
  const [op, ...ops] = RIGHT.ops;
  const schedule = {
    ...RIGHT,
    closings: [{ client: 'a', atMs: 100 }],
    collections: [{ client: 'b', atMs: 7 }],
    ops: [{ ...op, as: 'leader' }, ...ops],
  };

  expect(parseSchedule(schedule)).toEqual(schedule);
  expect(() => parseSchedule({ ...schedule, closings: [{ client: 'A', atMs: 1 }] })).toThrow(
    'a client is one letter from a to z',
  );
});

test('addresses that are re-pointed are read as they were written', () => {
  const right = { nodes: 2, to: 'n1', atMs: 300, ms: 1_000 };
  const schedule = { ...RIGHT, nodes: 5, repointings: [right, { ...right, nodes: 4 }] };
  const changed = (change: object): unknown => ({
    ...schedule,
    repointings: [{ ...right, ...change }],
  });

  expect(parseSchedule(schedule)).toEqual(schedule);
  expect(() => parseSchedule(changed({ to: 'n6' }))).toThrow('must be one of n1, n2, n3, n4, n5');
  expect(() => parseSchedule(changed({ nodes: 32 }))).toThrow('names a node that does not exist');
  expect(() => parseSchedule(changed({ back: 1 }))).toThrow('unknown field');
});

test('how long an operation waits is read as it was written', () => {
  const [op, ...ops] = RIGHT.ops;
  const schedule = { ...RIGHT, ops: [{ ...op, waitMs: 300 }, ...ops] };

  expect(parseSchedule(schedule)).toEqual(schedule);
  expect(() => parseSchedule({ ...RIGHT, ops: [{ ...op, waitMs: -1 }] })).toThrow(/waitMs/);
});

test('newcomers are read as they were written', () => {
  const schedule = { ...RIGHT, newcomers: 'b' };

  expect(parseSchedule(JSON.parse(JSON.stringify(schedule)))).toEqual(schedule);
});

test('a cut one way, and an ensemble that is not as usual, are read as they were written', () => {
  const cut = { kind: 'peer-cut', nodes: 1, when: { atMs: 7 }, ms: 40 } as const;
  const faults = [cut, { ...cut, way: 'out' }, { ...cut, way: 'in' }] as const;
  const schedule = { ...RIGHT, faults, ensemble: { ticks: 5, syncLimit: 2, reapMs: 300 } };

  expect(parseSchedule(JSON.parse(JSON.stringify(schedule)))).toEqual(schedule);
});

describe('a schedule that cannot be played is refused, with the place', () => {
  test.each<[name: string, value: unknown, message: string]>([
    ['a newcomer that never comes', wrong((s) => (s['newcomers'] = 'z')), 'unknown client z'],
    [
      'choices beside newcomers',
      wrong((s) => Object.assign(s, { faults: [], choices: ['a'], newcomers: 'b' })),
      'newcomers: must be absent or empty',
    ],
    [
      'choices beside faults',
      wrong((s) => (s['choices'] = ['a'])),
      'faults: must be absent or empty',
    ],
    [
      'a choice that is no text',
      wrong((s) => Object.assign(s, { faults: [], choices: ['a', 1] })),
      'choices[1]: must be a text, not 1',
    ],
    ['no object', [], 'must be an object, not []'],
    [
      'another version',
      wrong((s) => (s['v'] = 2)),
      'v: this is a schedule of version 2; this release reads version 1',
    ],
    ['no version', wrong((s) => delete s['v']), 'v: must be a whole number from 0'],
    ['a misspelt field', wrong((s) => (s['latencyMS'] = 1)), 'latencyMS: unknown field'],
    [
      'a missing field',
      wrong((s) => delete s['lagMs']),
      'lagMs: must be a whole number from 0 to 60000, not nothing',
    ],
    [
      'a ttl below the least',
      wrong((s) => (s['ttlMs'] = 99)),
      'ttlMs: must be a whole number from 100',
    ],
    [
      'a time that is no number',
      wrong((s) => (s['ops'][0].atMs = '5')),
      'ops[0].atMs: must be a whole number',
    ],
    [
      'half a millisecond',
      wrong((s) => (s['ops'][0].holdMs = 0.5)),
      'ops[0].holdMs: must be a whole number',
    ],
    [
      'half a microsecond between two clocks',
      wrong((s) => (s['replicaClockMs'] = 0.0005)),
      'replicaClockMs: must be a number of ms from -86400000 to 86400000, to the µs, not 0.0005',
    ],
    [
      'a client that is no letter',
      wrong((s) => (s['ops'][1].client = 'bob')),
      'ops[1].client: a client is one letter',
    ],
    [
      'an aftermath without most of the nodes',
      wrong((s) => (s['aftermath'] = { ...AFTERMATH, nodes: 0b111 })),
      'aftermath.nodes: fewer than half of the nodes can stay broken',
    ],
    [
      'an aftermath with a stranger',
      wrong((s) => (s['aftermath'] = { ...AFTERMATH, still: 'z' })),
      'aftermath.still: unknown client z',
    ],
    [
      'an aftermath of another kind',
      wrong((s) => (s['aftermath'] = { ...AFTERMATH, how: 'burnt' })),
      'aftermath.how: must be one of down, stopped, cut, slow',
    ],
    [
      'one operation twice',
      wrong((s) => (s['ops'][1].id = 1)),
      'ops: operation id 1 is used twice',
    ],
    [
      'too many operations',
      wrong((s) => (s['ops'] = Array.from({ length: 101 }))),
      'ops: has 101 elements, more than 100',
    ],
    [
      'an unknown fault',
      wrong((s) => (s['faults'][0].kind = 'earthquake')),
      'faults[0].kind: unknown fault earthquake; use one of delay, reorder',
    ],
    [
      'the fault that is none',
      wrong((s) => (s['faults'] = [{ kind: 'none' }])),
      'faults[0].kind: unknown fault none',
    ],
    [
      'a client that does nothing',
      wrong((s) => (s['faults'][0].client = 'c')),
      'faults[0].client: unknown client c; use one of a, b',
    ],
    [
      'a node that does not exist',
      wrong((s) => (s['faults'][1].nodes = 32)),
      'faults[1].nodes: 32 names a node that does not exist: there are 5, masks go up to 31',
    ],
    [
      'no node at all',
      wrong((s) => (s['faults'][1].nodes = 0)),
      'faults[1].nodes: must be a whole number from 1',
    ],
    [
      'an anchor at a node that does not exist',
      wrong((s) => (s['faults'][1].when.by = 'n6')),
      'faults[1].when.by: unknown n6; use one of a, b, n1, n2, n3, n4, n5',
    ],
    [
      'an anchor at a client that does nothing',
      wrong((s) => (s['faults'][0].when.by = 'z')),
      'faults[0].when.by: unknown z',
    ],
    [
      'an anchor with two moments',
      wrong((s) => (s['faults'][0].when.after = 'write')),
      'faults[0].when.after: unknown field',
    ],
    [
      'a fault with a field of another kind',
      wrong((s) => (s['faults'][0].nodes = 1)),
      'faults[0].nodes: unknown field',
    ],
    [
      'a drift of two things',
      wrong((s) => (s['faults'][2].client = 'a')),
      'faults[2].nodes: unknown field',
    ],
    [
      'a drift of nothing',
      wrong((s) => delete s['faults'][2].nodes),
      'faults[2].nodes: must be a whole number',
    ],
    [
      'a way that does not exist',
      wrong((s) => (s['faults'][5].way = 'up')),
      'faults[5].way: must be one of request, reply',
    ],
    [
      'a stranger who stays',
      wrong((s) => (s['faults'][4].stay = 'ax')),
      'faults[4].stay: unknown client x',
    ],
    [
      'a failover without a replica',
      wrong((s) => (s['replicas'] = 0)),
      'faults[1].kind: failover needs a replica, and replicas is 0',
    ],
  ])('%s', (_name, value, message) => {
    expect(() => parseSchedule(value)).toThrow(ScheduleError);
    expect(() => parseSchedule(value)).toThrow(message);
  });
});
