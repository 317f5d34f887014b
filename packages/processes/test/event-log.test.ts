import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Entry, EventLog, historyOf, readLog } from '../src/event-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

const asked: Entry = { type: 'acquire', atMs: 100, client: 'p1.1', key: 'k', hold: 'p1.1/0' };
const granted: Entry = { ...asked, type: 'granted', atMs: 103, validUntilMs: 1_003 };
const struck: Entry = { type: 'paused', atMs: 104, untilMs: 900, client: 'p1.1', key: 'k' };

test('a log is read up to the line that its writer did not live to finish', async () => {
  const path = join(folder, 'p1.log');
  const log = new EventLog(path);
  log.add(asked);
  log.add(granted);
  log.close();
  appendFileSync(path, '{"type":"ent');

  expect(await readLog(path)).toEqual([asked, granted]);
});

test('the logs of several processes become one history of a key, on a clock that begins with it', () => {
  const other = { ...asked, key: 'other', atMs: 1 };
  const second = { ...asked, client: 'p2.1', hold: 'p2.1/0', atMs: 101 };

  const history = historyOf([[other, asked, granted], [second], [struck]], 'k');

  expect(history).toEqual([
    { ...asked, seq: 0, atMs: 0 },
    { ...second, seq: 1, atMs: 1 },
    { ...granted, seq: 2, atMs: 3, validUntilMs: 903 },
    { ...struck, seq: 3, atMs: 4, untilMs: 800 },
  ]);
});
