import { readFileSync } from 'node:fs';
import { type Capabilities, createHost, openMemory } from '@holdfast/core/backend';
import { FAULT_IDS } from '@holdfast/harness/simulator';
import { capabilities as redisGetset } from '@holdfast/redis-getset';
import { capabilities as redisSimple } from '@holdfast/redis-simple';
import { capabilities as redlock } from '@holdfast/redlock';
import { capabilities as zk } from '@holdfast/zk';
import { expect, test } from 'vitest';
import { subjectOf } from '../src/locks/index.ts';
import {
  cellIn,
  EMPTY_CELL_RESULT,
  loadMatrix,
  type MatrixColumn,
  MatrixError,
  parseMatrix,
  provesNothing,
  rowName,
  survivedFaults,
} from '../src/matrix/index.ts';
import { withClaims } from '../src/matrix/shorthand.ts';

type Json = Record<string, any>;

const { capabilities: memory } = await openMemory({}, createHost());

const text = readFileSync(new URL('../matrix.json', import.meta.url), 'utf8');

/** The matrix as it is written, with one thing changed. */
function altered(change: (matrix: Json) => void): () => unknown {
  const matrix = withClaims(JSON.parse(text)) as Json;
  change(matrix);
  return () => parseMatrix(matrix);
}

function rowOf(matrix: Json, fault: string): Json {
  return matrix['rows'].find((row: Json) => row['fault'] === fault);
}

test('every fault has a row, and every row says something of every lock', () => {
  const { rows, columns, topologies } = loadMatrix();

  expect([...new Set(rows.map(({ fault }) => fault))]).toEqual([...FAULT_IDS]);
  for (const row of rows) {
    const own = Object.keys(row.cells).filter((column) => !topologies.columns.includes(column));
    expect(own, rowName(row)).toEqual(columns);
  }
});

test('a cell in short is that of the column that it names, and changes with nothing else', () => {
  const written = JSON.parse(text) as Json;
  const { cells } = rowOf(withClaims(written) as Json, 'server-stop');

  expect(rowOf(written, 'server-stop')['cells']['redlock-3']).toBe('= redlock');
  expect(cells['redlock-3']).toEqual(cells['redlock']);
  expect(cells['redlock-3']['validity']).not.toBe(cells['redlock']['validity']);
});

/** What zk is said to survive where the row that shows it break is not there. */
function survivedUntold(change: (cell: Json) => void): readonly string[] {
  const matrix = altered((m) => {
    m['rows'] = m['rows'].filter((row: Json) => row['setup']?.newcomer !== true);
    for (const { cells } of m['rows']) change(cells.zk);
  })();
  return survivedFaults(matrix as ReturnType<typeof loadMatrix>, 'zk');
}

test('no backend claims a fault under which it is known to break, though nothing here can show it', () => {
  const asItIs = survivedUntold(() => undefined);
  const undoubted = survivedUntold((cell) => delete cell['doubtful']);

  expect(asItIs).not.toContain('restart-empty');
  expect(undoubted).toContain('restart-empty');
});

test.for<[string, (matrix: Json) => void, RegExp]>([
  ['another version', (m) => (m['v'] = 2), /this release reads version 1/],
  ['a fault that there is not', (m) => (m['rows'][0]['fault'] = 'flood'), /rows\.0\.fault/],
  [
    'a fault without a row',
    (m) => (m['rows'] = m['rows'].filter(({ fault }: Json) => fault !== 'swizzle')),
    /no row for swizzle/,
  ],
  ['rows out of order', (m) => (m['rows'] = m['rows'].toReversed()), /is out of order/],
  ['a row that is there twice', (m) => m['rows'].unshift(m['rows'][0]), /none is listed twice/],
  [
    'a cell without a reason',
    (m) => delete rowOf(m, 'pause')['cells']['memory']['validity']['why'],
    /rows\.4\.cells\.memory/,
  ],
  [
    'a cell that holds by nobody’s word',
    (m) => delete rowOf(m, 'pause')['cells']['redlock']['validity']['mutant'],
    /pause on redlock, validity: it holds, but names no mutant to detect/,
  ],
  [
    'a mutant that nothing is known of',
    (m) => (rowOf(m, 'pause')['cells']['redlock']['validity']['mutant'] = 'no-such'),
    /the mutant no-such has no description/,
  ],
  [
    'a mutant that no cell names',
    (m) => (m['mutants']['idle'] = 'core: nothing'),
    /no cell names idle/,
  ],
  [
    'a difference in no cell',
    (m) => (m['differences'][0]['cells'][0]['variant'] = 'clocks wrong'),
    /failover, clocks wrong on redis-simple\/sentinel is not a cell of the matrix/,
  ],
  [
    'a difference in what nobody sees break',
    (m) => (m['differences'][0]['claims'] = ['resource']),
    /resource is not what only the simulator can see violated/,
  ],
  [
    'a difference in what both see break',
    (m) => (m['differences'][0]['onlySeenBy'] = 'laboratory'),
    /validity is not what only the laboratory can see violated/,
  ],
  [
    'a difference that is there twice',
    (m) => m['differences'].push(m['differences'][0]),
    /failover, clocks level on redis-simple\/sentinel, validity is listed twice/,
  ],
  [
    'a cell equal to one that there is not',
    (m) => (rowOf(m, 'pause')['cells']['redlock-3'] = '= nowhere'),
    /rows\.4\.cells\.redlock-3/,
  ],
  [
    'a cell equal to one that a reader has to look for further',
    (m) => {
      const { cells } = rowOf(m, 'pause');
      cells['redlock-3'] = '= redlock-pairs';
      cells['redlock-pairs'] = '= redlock';
    },
    /rows\.4\.cells\.redlock-3/,
  ],
  [
    'a rare state that nobody counts',
    (m) => (rowOf(m, 'pause')['cells']['memory']['sometimes'] = ['a full moon']),
    /rows\.4\.cells\.memory/,
  ],
  [
    'a reason for a mutant that there is not',
    (m) => (m['contention']['idle'] = 'It is idle.'),
    /contention: unknown mutant idle/,
  ],
  [
    'longer leases under a fault with times of its own',
    (m) => (rowOf(m, 'pause')['setup'] = { ttlTimes: 2 }),
    /pause: ttlTimes is only for drift/,
  ],
  [
    'a rolling restart of another fault',
    (m) => (rowOf(m, 'pause')['setup'] = { variation: 'rolling' }),
    /pause: unknown variation rolling/,
  ],
  [
    'a delayed restart of another fault',
    (m) => (rowOf(m, 'drift')['setup'] = { variation: 'delayed' }),
    /drift, within the margin: unknown variation delayed; use within, beyond/,
  ],
  [
    'an order of queues in a row that there is not',
    (m) => m['always']['fifo']['rows'].push('flood'),
    /fifo: unknown row flood/,
  ],
  [
    'an order of queues in a row in which nothing holds',
    (m) => (m['always']['fifo']['rows'] = ['restart-empty']),
    /fifo: no row runs the mutant of zk/,
  ],
  [
    'a clock that is half a microsecond off',
    (m) => (rowOf(m, 'failover')['setup'] = { replicaClockMs: 0.0005 }),
    /replicaClockMs: must be ms, to the µs/,
  ],
  [
    'an order of queues by a mutant that nothing is known of',
    (m) => (m['always']['fifo']['mutants']['zk'] = 'no-such'),
    /fifo: the mutant no-such has no description/,
  ],
  [
    'a row that says nothing of a column',
    (m) => delete rowOf(m, 'pause')['cells']['zk'],
    /pause: its cells are not those of memory, /,
  ],
  [
    'a cell of a column that there is not',
    (m) => (rowOf(m, 'pause')['cells']['consul'] = rowOf(m, 'pause')['cells']['zk']),
    /pause: its cells are not those of memory, /,
  ],
  [
    'an order of queues in a column that there is not',
    (m) => (m['always']['fifo']['mutants']['consul'] = m['always']['fifo']['mutants']['zk']),
    /fifo: unknown column consul/,
  ],
  [
    'a move between stores that there are not',
    (m) => (m['moving']['store'] = 'consul'),
    /moving: unknown column consul/,
  ],
  [
    'an exception for a row in which one store alone breaks',
    (m) => (m['moving']['phases']['moving and new']['except'] = { failover: 'It is lost.' }),
    /moving, moving and new: failover is not run/,
  ],
  [
    'a reason that is written nowhere',
    (m) => (rowOf(m, 'pause')['cells']['memory']['validity']['why'] = '@none'),
    /unknown reason "@none"/,
  ],
  ['a word too much', (m) => (m['rows'][0]['why'] = 'so'), /rows\.0/],
])('%s is refused, saying where', ([, change, message]) => {
  expect(altered(change)).toThrow(MatrixError);
  expect(altered(change)).toThrow(message);
});

test('a column that there is not is refused, and is no lock', () => {
  const [row] = loadMatrix().rows;
  if (row === undefined) throw new Error('there is no row');

  expect(() => cellIn(row, 'consul')).toThrow('unknown column consul of the matrix');
  expect(() => cellIn(row, 'constructor')).toThrow(RangeError);
  expect(() => subjectOf('consul')).toThrow('consul is not a built-in lock');
});

test('a lock survives a fault that it holds under in every variant, or that cannot matter to it', () => {
  const matrix = loadMatrix();

  expect(survivedFaults(matrix, 'redis-simple')).toContain('pause');
  expect(survivedFaults(matrix, 'redis-simple')).toContain('peer-cut');
  expect(survivedFaults(matrix, 'redis-simple')).not.toContain('failover');
  // Within the margin, not beyond.
  expect(survivedFaults(matrix, 'redis-simple')).not.toContain('drift');
  // It has no server that could stop.
  expect(survivedFaults(matrix, 'memory')).not.toContain('server-stop');
});

test('a cell proves nothing where a rare state that it names was never reached', () => {
  const tally = { ...EMPTY_CELL_RESULT.tally, schedules: 10, effective: 10, ops: 10, accepted: 10 };
  const state = 'an unreplicated lock was lost';
  const cell = loadMatrix().rows.find(({ fault }) => fault === 'failover')?.cells['redis-getset'];
  if (cell === undefined) throw new Error('there is no failover');

  const never = provesNothing({ ...EMPTY_CELL_RESULT, tally }, cell);
  const once = provesNothing(
    { ...EMPTY_CELL_RESULT, tally: { ...tally, sometimes: { [state]: 1 } } },
    cell,
  );

  expect(cell.sometimes).toContain(state);
  expect(never).toBe(`in none of 10 schedules ${state}`);
  expect(once).toBeUndefined();
});

test('where fencing holds, tokens were refused, or it is said that there were none to refuse', () => {
  for (const row of loadMatrix().rows)
    for (const [column, { claims, sometimes }] of Object.entries(row.cells)) {
      const { expect: expected, why } = claims.resource;
      if (expected !== 'holds') continue;
      const isTrivial = /there (is|was) none to refuse\.$/.test(why);
      expect(sometimes.includes('a token was refused'), `${rowName(row)} on ${column}`).toBe(
        !isTrivial,
      );
    }
});

/** What a backend says of itself; redlock runs on any number of nodes. */
const SAID: Readonly<
  Record<string, { readonly columns: readonly MatrixColumn[]; readonly by: Capabilities }>
> = {
  memory: { columns: ['memory'], by: memory },
  'redis-simple': { columns: ['redis-simple'], by: redisSimple },
  'redis-getset': { columns: ['redis-getset'], by: redisGetset },
  redlock: { columns: ['redlock', 'redlock-3'], by: redlock },
  zk: { columns: ['zk'], by: zk },
};

test.each(Object.entries(SAID))(
  '%s says that it survives what the matrix says',
  (_, { columns, by }) => {
    const matrix = loadMatrix();
    const [first = [], ...more] = columns.map((column) => survivedFaults(matrix, column));

    expect(by.survives).toEqual(
      first.filter((fault) => more.every((each) => each.includes(fault))),
    );
  },
);
