import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Report } from '../src/compare/report.ts';
import { type CommandResult, holdfastIn } from './support/command.ts';

const CELLS = [
  '--faults',
  'none,pause',
  '--backends',
  'redis-getset,redis-simple',
  '--budget',
  '16',
];
const CAMPAIGN = ['--faults', 'none,pause', '--backends', 'redis-getset', '--budget', '100'];
const LIMIT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-jobs-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function holdfast(...args: readonly string[]): Promise<CommandResult> {
  return holdfastIn(folder, args);
}

function reportIn(name: string): Report {
  return JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8'));
}

/** The findings of a merge, without the number of schedules: threads of one search stop each other a little late. */
function findingsOf({ stdout }: CommandResult): object {
  const { foundAt, replay, shards } = JSON.parse(stdout);
  return { foundAt, replay, shards };
}

test(
  'compare has equal output for any number of threads',
  async () => {
    const alone = await holdfast('compare', ...CELLS, '--jobs', '1', '--out', 'same');
    const one = reportIn('same');
    const together = await holdfast('compare', ...CELLS, '--jobs', '3', '--out', 'same');
    const three = reportIn('same');

    expect(alone.code).toBe(0);
    expect(together.stdout).toBe(alone.stdout);
    expect(three.runs[0]?.safety).toEqual(one.runs[0]?.safety);
  },
  LIMIT_MS,
);

test(
  'shards that several threads play each are merged by several, into what one thread alone reports',
  async () => {
    await holdfast('compare', '--deep', ...CAMPAIGN, '--jobs', '1', '--out', 'one');
    for (const shard of ['1/2', '2/2'])
      await holdfast('compare', ...CAMPAIGN, '--shard', shard, '--jobs', '2', '--out', 'parts');

    const merged = await holdfast('merge', 'parts', '--jobs', '2', '--out', 'merged');

    expect(merged.code).toBe(0);
    expect(merged.stdout).toContain('Merged  all 2 shards');
    expect(reportIn('merged').runs[0]?.safety).toEqual(reportIn('one').runs[0]?.safety);
  },
  LIMIT_MS,
);

test(
  'a shard of a search has equal findings for any number of threads',
  async () => {
    const search = ['find', 'redis-simple', '--fault', 'restart-empty', '--shard', '2/3'];
    await holdfast(...search, '--jobs', '1', '--out', 'a-shard-2-of-3.json');
    await holdfast(...search, '--jobs', '3', '--out', 'b-shard-2-of-3.json');

    const merge = (name: string): Promise<CommandResult> =>
      holdfast('merge', `${name}-shard-2-of-3.json`, '--json', '--out', 'story.json');
    const alone = await merge('a');
    const together = await merge('b');

    expect(alone.code).toBe(1);
    expect(findingsOf(together)).toEqual(findingsOf(alone));
    expect(findingsOf(alone)).toMatchObject({ shards: { of: 3, missing: [1, 3] } });
  },
  LIMIT_MS,
);
