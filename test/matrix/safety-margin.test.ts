import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { loadMatrix } from '../../harness/test/kit/matrix.ts';
import {
  type LeaseMargins,
  MARGIN_DEFAULTS,
  type Margin,
  MEASURED,
  marginPage,
  measureMargins,
  rowsFor,
} from '../../harness/test/kit/safety-margin.ts';
import { mutantOf } from './support/mutants.ts';

const TIMEOUT_MS = 600_000;
const MATRIX = loadMatrix();
const measured = new Map<string, Promise<LeaseMargins>>();

/** Once for all tests of this file. */
function gapsOf(lock: string): Promise<LeaseMargins> {
  const gaps =
    measured.get(lock) ?? measureMargins(subjectOf(lock), rowsFor(lock, MATRIX), MARGIN_DEFAULTS);
  measured.set(lock, gaps);
  return gaps;
}

test.each(['memory', 'redis-simple', 'redlock', 'zk'] as const)(
  'a holder knows that its lease is over before the servers could grant another: %s',
  { timeout: TIMEOUT_MS },
  async (lock) => {
    const { violations, ranOut, schedules } = await gapsOf(lock);

    expect(violations[0], 'the first of them').toBeUndefined();
    expect(schedules).toBeGreaterThanOrEqual(500);
    expect(ranOut.length).toBeGreaterThan(schedules / 2);
  },
);

test('on redis-getset the server sometimes frees the key before the lease ends, since a late DEL deletes another client’s key', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { violations } = await gapsOf('redis-getset');

  expect(violations.length).toBeGreaterThan(0);
});

test.each([
  ['deadline-from-reply', 'memory'],
  ['no-drift-margin', 'redis-simple'],
  ['validity-from-reply', 'redis-simple'],
  ['no-elapsed-check', 'redlock'],
  ['believes-until-told', 'zk'],
] as const)(
  '%s is detected by its margin alone, on %s',
  { timeout: TIMEOUT_MS },
  async (mutant, lock) => {
    const wrong = await mutantOf(mutant, lock);

    const { violations } = await measureMargins(wrong, rowsFor(lock, MATRIX), {
      ...MARGIN_DEFAULTS,
      budget: 60,
    });

    expect(violations.length).toBeGreaterThan(0);
    expect(violations[0]?.message).toMatch(
      /held k validly until .* could grant it to another from/,
    );
  },
);

test('docs/evidence/safety-margin.md shows what was measured', {
  timeout: TIMEOUT_MS,
}, async () => {
  const margins: Margin[] = [];
  for (const lock of MEASURED) margins.push({ lock, measured: await gapsOf(lock) });

  await expect(
    marginPage(margins, '`vitest -u` on test/matrix/safety-margin.test.ts'),
  ).toMatchFileSnapshot('../../docs/evidence/safety-margin.md');
});
