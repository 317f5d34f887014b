import { createHash } from 'node:crypto';
import { FAULT_IDS, type Subject } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { EXHIBITS, subjectOf } from '../../harness/test/kit/locks.ts';
import { cellIn, isTried, loadMatrix, type Row, rowName } from '../../harness/test/kit/matrix.ts';
import { scheduleResults } from '../../harness/test/kit/search.ts';

/**
 * Results of the first schedules of every cell, bit for bit. A change that only moves or renames code changes none of
 * them. If a change of behaviour is intended, `-u` renews the record.
 */
const PLAYS = 200;
const SEED = 1;
/** Schedules that share a digit of the record: a bit of each trace, to see where schedules came out otherwise. The digest shows all. */
const BITS = 4;
const HASH_DIGITS = 16;

const MATRIX = loadMatrix();

test.each(MATRIX.columns)('%s plays as it did', async (column) => {
  const rows = MATRIX.rows.filter((row) => isTried(cellIn(row, column)));

  await expect(await printed(subjectOf(column), rows)).toMatchFileSnapshot(recordOf(column));
});

test('work without a lock plays as it did', async () => {
  const rows = MATRIX.rows.filter(({ variant }) => variant === undefined);

  await expect(await printed(subjectOf('no-lock'), rows)).toMatchFileSnapshot(recordOf('no-lock'));
});

test.each(EXHIBITS)('$name plays as it did', async ({ name }) => {
  const rows = MATRIX.rows.filter(
    (row) => row.variant === undefined && isTried(cellIn(row, 'redis-simple')),
  );

  await expect(await printed(subjectOf(name), rows)).toMatchFileSnapshot(recordOf(name));
});

test('no fault is left out', () => {
  expect(new Set(MATRIX.rows.map(({ fault }) => fault))).toEqual(new Set(FAULT_IDS));
});

function recordOf(name: string): string {
  return `record/prints/${name}.txt`;
}

async function printed(subject: Subject, rows: readonly Row[]): Promise<string> {
  const lines: string[] = [];
  for (const row of rows) lines.push(await printedRow(subject, row));
  return `${lines.join('\n')}\n`;
}

/** One number for the row, its violations with their counts, and the traces; and a bit of each. */
async function printedRow(subject: Subject, row: Row): Promise<string> {
  const whole = createHash('sha256');
  const violated = new Map<string, number>();
  let bits = '';
  const setup = subject.open === undefined ? { ...row.setup, nodes: 1 } : row.setup;
  const options = { subject, faults: [row.fault], setup, seed: SEED };
  for await (const print of scheduleResults(options, PLAYS)) {
    whole.update(`${print.hash} ${print.violated.join(' ')}\n`);
    bits += `${Number.parseInt(print.hash.slice(0, 1), 16) % 2}`;
    for (const name of print.violated) violated.set(name, (violated.get(name) ?? 0) + 1);
  }
  const counts = Array.from(violated, ([name, times]) => `${name} ${times}`).toSorted();
  const digest = whole.digest('hex').slice(0, HASH_DIGITS);
  return `${rowName(row)}: ${digest} ${counts.join(', ') || 'nothing violated'}\n${hexOf(bits)}`;
}

function hexOf(bits: string): string {
  const digits = bits.match(new RegExp(`.{1,${BITS}}`, 'g')) ?? [];
  return digits.map((digit) => Number.parseInt(digit, 2).toString(16)).join('');
}
