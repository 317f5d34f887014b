import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playGuard } from '@holdfast/harness/guards';
import { afterEach, expect, test } from 'vitest';
import { SqliteFile } from '../support/sqlite-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-guards-'));
afterEach(() => rmSync(folder, { recursive: true }));

test('a late holder changes nothing in SQLite, wherever it and the next one are paused', async () => {
  const file = new SqliteFile(join(folder, 'rows.db'));

  const { plays, broken } = await playGuard(file.subject());
  file.close();

  expect(broken).toBeUndefined();
  expect(plays).toHaveLength(6 * 7);
  // Before its transaction begins it is refused; later the next holder waits for it.
  expect(new Set(plays.filter((play) => play.isLateRefused).map(({ lateAt }) => lateAt))).toEqual(
    new Set(['begin']),
  );
});
