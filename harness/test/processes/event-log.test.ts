import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { EventLog, historyOf, type LogEntry, LogReader } from '../../src/processes/event-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

const requested: LogEntry = {
  type: 'acquire',
  atMs: 100,
  client: 'p1.1',
  key: 'k',
  hold: 'p1.1/0',
};
const granted: LogEntry = { ...requested, type: 'granted', atMs: 103, validUntilMs: 1_003 };
const paused: LogEntry = { type: 'paused', atMs: 104, untilMs: 900, client: 'p1.1', key: 'k' };

test('a log is read up to its unfinished line, which is read once it is finished', async () => {
  const path = join(folder, 'p1.log');
  const log = new EventLog(path);
  log.add(requested);
  log.add(granted);
  appendFileSync(path, '{"type":"ent');
  const reader = new LogReader(path);

  expect(await reader.next()).toEqual([requested, granted]);

  appendFileSync(path, 'er"}\n');
  log.add(requested);
  log.close();

  expect(await reader.next()).toEqual([{ type: 'enter' }, requested]);
});

test('a log that does not exist is empty', async () => {
  expect(await new LogReader(join(folder, 'none.log')).next()).toEqual([]);
});

test('the logs of several processes become one history, on a clock that begins with it', () => {
  const second = { ...requested, client: 'p2.1', hold: 'p2.1/0', atMs: 101 };

  const history = historyOf([requested, granted, second, paused]);

  expect(history).toEqual([
    { ...requested, seq: 0, atMs: 0 },
    { ...second, seq: 1, atMs: 1 },
    { ...granted, seq: 2, atMs: 3, validUntilMs: 903 },
    { ...paused, seq: 3, atMs: 4, untilMs: 800 },
  ]);
});
