import { judgeRefusals } from '@holdfast/harness/check';
import {
  BATCH,
  batchOf,
  type PlayResult,
  type Schedule,
  schedulesFor,
} from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../src/locks/index.ts';
import {
  cellIn,
  isTried,
  loadMatrix,
  type MatrixColumn,
  type Row,
  rowName,
} from '../../src/matrix/index.ts';
import { playGuarded, setupOf } from '../../src/search/index.ts';

const TAKEN = ['LOCK_TIMEOUT'];
const ALL = ['LOCK_TIMEOUT', 'BACKEND_UNAVAILABLE', 'OUTCOME_UNKNOWN'];
/** The errors that have to occur, so that the test proves something: no fault applies to the in-memory store. */
const LOCKS: readonly { readonly column: MatrixColumn; readonly told: readonly string[] }[] = [
  { column: 'memory', told: TAKEN },
  { column: 'redis-simple', told: ALL },
  { column: 'redis-getset', told: ALL },
  { column: 'redlock', told: ALL },
  { column: 'zk', told: ALL },
];
/** Of each row. */
const BUDGET = 15;
const SEED = 23;
const TIMEOUT_MS = 300_000;

const MATRIX = loadMatrix();

/** Nobody can know what is true where servers forget, or where clocks err by more than the margin covers. */
function isTrue(row: Row): boolean {
  return row.setup.variation !== 'beyond' && rowName(row) !== 'torn-log, all servers';
}

function schedulesOf(column: MatrixColumn, { fault, setup }: Row): readonly Schedule[] {
  const givingUp = { ...setup, givingUp: true };
  const schedules = schedulesFor([fault], setupOf({ subject: subjectOf(column), setup: givingUp }));
  return batchOf(schedules, SEED, 0).slice(0, Math.min(BATCH, BUDGET));
}

/** The errors of clients that gave up, each once. */
function codesIn({ history }: PlayResult): readonly string[] {
  return history.flatMap((event) =>
    event.type === 'denied' || event.type === 'doubt' ? [event.reason] : [],
  );
}

test.each(LOCKS)(
  'errors of a client that gives up waiting for $column are true under every fault',
  {
    timeout: TIMEOUT_MS,
  },
  async ({ column, told }) => {
    const subject = subjectOf(column);
    const codes = new Set<string>();
    const untrue: string[] = [];
    for (const row of MATRIX.rows) {
      if (!isTried(cellIn(row, column)) || !isTrue(row)) continue;
      for (const schedule of schedulesOf(column, row)) {
        const played = await playGuarded(schedule, subject, { guard: true });
        const { kind, message } = judgeRefusals(played.history, played.refusals ?? []);
        if (kind !== 'ok') untrue.push(`${rowName(row)}: ${message} ${JSON.stringify(schedule)}`);
        for (const code of codesIn(played)) codes.add(code);
      }
    }

    expect(untrue).toEqual([]);
    expect([...codes]).toEqual(expect.arrayContaining([...told]));
  },
);
