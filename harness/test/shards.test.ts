import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storyFromString } from '@holdfast/harness/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../packages/holdfast/test/kit.ts';
import type { Report } from '../src/compare/report.ts';
import { formatWhole } from '../src/shards/format.ts';
import { parseShard, textOf } from '../src/shards/shard-text.ts';
import { Console } from './support/console.ts';
import { requestOf, shardOf } from './support/shards.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-shards-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<Console & { readonly code: number }> {
  const console = new Console();
  return Object.assign(console, { code: await main(args, console) });
}

const FIND = ['find', 'memory', '--fault', 'pause', '--property', 'belief', '--budget', '256'];
const shard = (k: number): string => join(folder, 'late', `shard-${k}-of-3.json`);
let found: Awaited<ReturnType<typeof run>>[];

beforeAll(async () => {
  found = [];
  for (const k of [1, 2, 3]) found.push(await run(...FIND, '--shard', `${k}/3`, '--out', shard(k)));
});

describe('find --shard', () => {
  test('says what its part came to, where that is written, and what to do next', () => {
    const [first] = found;

    expect(first?.code).toBe(0);
    expect(first?.out).toMatch(/^SHARD 1 of 3: belief violated in schedule \d+\n/);
    expect(first?.out).toContain(`Report  ${shard(1)}\n`);
    expect(first?.out).toContain(`Next    npx holdfast merge ${join(folder, 'late')}`);
  });

  test('that finds nothing exits with 3, and its report says how much it played', async () => {
    const where = join(folder, 'none-shard-2-of-3.json');
    const args = ['find', 'memory', '--fault', 'none', '--budget', '256', '--shard', '2/3'];

    const { code, out } = await run(...args, '--out', where, '--json');

    expect(code).toBe(3);
    expect(out).toBe(readFileSync(where, 'utf8'));
    expect(JSON.parse(out)).toMatchObject({
      format: 'holdfast-shard',
      version: 1,
      shard: { k: 2, of: 3 },
      campaign: { lock: 'memory', faults: ['none'], budget: 256, seed: 1 },
      tally: { schedules: 64 },
      hits: [],
    });
  });

  test.each(['9/8', '0/8', '3', '1/2/3', 'x', '-1/8', '1/1000001'])(
    'with %s is wrong usage, and says so in two lines',
    async (text) => {
      const { code, err, out } = await run(...FIND, `--shard=${text}`);

      expect(code).toBe(2);
      expect(err).toMatch(/^holdfast: invalid --shard \S+\nUse K\/N, .*\n$/);
      expect(out).toBe('');
    },
  );
});

test('an exhaustive search has no schedules to divide', async () => {
  const { code, err } = await run('find', 'memory', '--exhaustive', '--shard', '1/2');

  expect(code).toBe(2);
  expect(err).toContain('--shard divides schedules, and --exhaustive has none');
});

test('a search for liveness, whose schedules are its own, is divided like any other', async () => {
  const request = requestOf('memory', {
    faults: ['holder-crash'],
    property: 'liveness',
    budget: 130,
  });
  const usual = await shardOf({ ...request, property: 'belief' }, 1, 2);

  const [one, two] = [await shardOf(request, 1, 2), await shardOf(request, 2, 2)];

  expect(one.campaign.fingerprint).toBe(two.campaign.fingerprint);
  expect(one.campaign.fingerprint).not.toBe(usual.campaign.fingerprint);
});

describe('merge', () => {
  test('finds the story that one machine alone would have found', async () => {
    const alone = await run(...FIND, '--out', join(folder, 'alone.json'));
    const merged = await run('merge', join(folder, 'late'), '--out', join(folder, 'merged.json'));

    expect(merged.code).toBe(0);
    expect(storyIn(merged.out)).toBe(storyIn(alone.out));
    expect(merged.out).toContain('Merged  all 3 shards');
    expect(readFileSync(join(folder, 'merged.json'), 'utf8')).toBe(
      readFileSync(join(folder, 'alone.json'), 'utf8'),
    );
  });

  test('of shards of which some are missing names them, and exits with 1', async () => {
    const text = await run('merge', shard(3), shard(1), '--out', join(folder, 'part.json'));
    const json = await run('merge', shard(2), '--json', '--out', join(folder, 'part.json'));

    expect(text.code).toBe(1);
    expect(text.out).toContain('INCOMPLETE: 2 of 3 shards, without 2\n');
    expect(json.code).toBe(1);
    const { shards, replay } = JSON.parse(json.out);
    expect(shards).toEqual({ of: 3, missing: [1, 3] });
    expect(storyFromString(replay).fault).toBe('pause');
  });

  test('of a search that found nothing says how rare it must be by all shards, and exits with 3', async () => {
    const request = requestOf('memory', { faults: ['none'], budget: 150 });
    const files = await Promise.all([1, 2].map((k) => shardOf(request, k, 2)));
    const paths = files.map((report, i) => write(`calm-${i}.json`, textOf(report)));

    const { code, out } = await run('merge', ...paths);

    expect(code).toBe(3);
    expect(out).toMatch(/^NOT FOUND: none in 150\n/);
    expect(out).toContain('at 95 % fewer than 3/150');
    expect(out).toContain('150 of 150 schedules run');
  });

  test('names so many missing shards as a line bears', () => {
    const missing = Array.from({ length: 20 }, (_, i) => i + 1);

    expect(formatWhole(100, missing)).toBe(
      'INCOMPLETE: 80 of 100 shards, without 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 8 more',
    );
  });
});

describe('what cannot be merged is wrong usage:', () => {
  test.each<[string, (text: string) => string, RegExp]>([
    [
      'a report that was cut',
      (text) => text.slice(0, -40),
      /is not valid JSON, perhaps it was truncated$/,
    ],
    [
      'a report of another version',
      (text) => text.replace('"version": 1', '"version": 2'),
      /is a shard report of version 2; this release reads version 1$/,
    ],
    ['a file that is none', () => '{ "backend": "memory" }', /is not a shard report$/],
    ['a list', () => '[]', /is not a shard report$/],
    [
      'what another release wrote',
      (text) => text.replace('"0.1.0"', '"0.0.9"'),
      /was written by holdfast 0\.0\.9, and this is 0\.1\.0$/,
    ],
    [
      'a shard beyond the last',
      (text) => text.replace('"k": 1', '"k": 4'),
      /invalid shard 4 of 3$/,
    ],
    ['a counter that is none', (text) => text.replace(/"ops": \d+/, '"ops": -1'), /tally\.ops: /],
    [
      'a schedule that was altered',
      (text) => text.replace(/"ttlMs": \d+/, '"ttlMs": "x"'),
      /has an invalid schedule: ttlMs/,
    ],
    [
      'something more',
      (text) => text.replace('"kind": "find"', '"kind": "find", "more": 1'),
      /more/,
    ],
  ])('%s', async (_, spoil, said) => {
    const path = write('spoilt.json', spoil(readFileSync(shard(1), 'utf8')));

    const { code, out, err } = await run('merge', path);

    expect(code).toBe(2);
    expect(err.split('\n')[0]).toMatch(said);
    expect(err).not.toContain('    at ');
    expect(out).toBe('');
  });

  test('one shard twice, naming both files', async () => {
    const copy = write('copy.json', readFileSync(shard(2), 'utf8'));

    const { code, err } = await run('merge', join(folder, 'late'), copy);

    expect(code).toBe(2);
    expect(err).toContain(`duplicate shard 2 of 3: ${shard(2)} and ${copy}`);
  });

  test('a shard that did not play all that it should have', async () => {
    const report = await shardOf(requestOf('memory', { faults: ['none'], budget: 150 }), 1, 2);
    const { tally } = report;
    const path = write('short.json', textOf({ ...report, tally: { ...tally, schedules: 85 } }));

    const { code, err } = await run('merge', path);

    expect(code).toBe(2);
    expect(err).toContain('is incomplete: shard 1 of 2 has 86 schedules');
  });

  test('a folder without any', async () => {
    mkdirSync(join(folder, 'empty'), { recursive: true });

    const { code, err } = await run('merge', join(folder, 'empty'));

    expect(code).toBe(2);
    expect(err).toMatch(/no shard report in .*\nIn a folder their names are shard-3-of-8/);
  });

  test.each<[string, () => ReturnType<typeof shardOf>, string]>([
    [
      'of another seed',
      () => shardOf(requestOf('memory', { seed: 2 }), 2, 3),
      'seed is 1 in one, 2 in the other',
    ],
    [
      'of another lock',
      () => shardOf(requestOf('no-lock'), 2, 3),
      'lock is "memory" in one, "no-lock" in the other',
    ],
    [
      'of another budget',
      () => shardOf(requestOf('memory', { budget: 512 }), 2, 3),
      'budget is 256 in one, 512 in the other',
    ],
    [
      'of other faults',
      () => shardOf(requestOf('memory', { faults: ['suspend'] }), 2, 3),
      'faults is ["pause"] in one, ["suspend"] in the other',
    ],
    [
      'of another number of shards',
      () => shardOf(requestOf('memory'), 2, 4),
      'one of 3 shards, the other of 4',
    ],
    [
      'that was played by other code',
      // Says that it is memory, and is not.
      () => shardOf(requestOf('memory'), 2, 3, 'redis-simple'),
      'the same schedules came out differently',
    ],
  ])('two reports, one of them %s', async (_, other, why) => {
    const one = write('one.json', textOf(await shardOf(requestOf('memory'), 1, 3)));
    const two = write('two.json', textOf(await other()));

    const { code, err } = await run('merge', one, two);

    expect(code).toBe(2);
    expect(err).toContain(`${one} and ${two} are not of one campaign: ${why}`);
  });

  test('what was found by other code than is here', async () => {
    const report = await shardOf(requestOf('memory', { property: 'belief' }), 1, 1, 'redis-simple');
    const path = write('elsewhere.json', textOf(report));

    const { code, err } = await run('merge', path);

    expect(code).toBe(2);
    expect(err).toMatch(/memory has other results here than where it was searched/);
  });
});

test('a report is read as it was written', async () => {
  const report = await shardOf(requestOf('memory', { property: 'belief' }), 1, 2);

  const read = parseShard(textOf(report), 'x');

  expect(JSON.parse(textOf(read))).toEqual(JSON.parse(textOf(report)));
  expect(read.kind === 'find' ? read.hits[0]?.violation.message : '').toContain('a late holder');
});

describe('compare --shard', () => {
  const CELLS = ['--faults', 'none,pause', '--backends', 'memory,redis-getset', '--budget', '150'];
  const where = join(folder, 'matrix');

  test('divides the schedules of each cell, and merged they are the report of one machine', async () => {
    const alone = await run('compare', '--deep', ...CELLS, '--jobs', '1', '--json', '--out', where);
    for (const k of [1, 2, 3]) {
      const args = ['compare', ...CELLS, '--shard', `${k}/3`, '--jobs', '1', '--out', where];
      const { code, out } = await run(...args);
      expect([code, out.split('\n')[0]]).toEqual([
        0,
        `SHARD ${k} of 3: ${[6 * 64, 6 * 64, 6 * 22][k - 1]} schedules in 6 cells, each its share of 150`,
      ]);
    }

    const merged = await run('merge', where, '--jobs', '1', '--json', '--out', folder);

    const [one, all]: Report[] = [JSON.parse(alone.out), JSON.parse(merged.out)];
    expect(merged.code).toBe(0);
    expect(all?.runs[0]?.safety).toEqual(one?.runs[0]?.safety);
    expect(all).toMatchObject({ verdict: 'as-expected', shards: { of: 3, missing: [] } });
    expect(all?.runs[0]?.safety[1]?.evidence?.trials).toBe(150);
  });

  test('prints per cell how many schedules, and in what share of them something went wrong', async () => {
    const { out } = await run('merge', where, '--jobs', '1', '--out', folder);

    expect(out).toContain(
      'Counts  of 150 schedules per cell; none means, at 95 %, fewer than 2 %\n',
    );
    expect(out).toMatch(/^none on memory +none +none +none$/m);
    expect(out).toMatch(/^pause on redis-getset +\d+, \d(\.\d)? % +\d+, \d\d % +–$/m);
    expect(out).toContain('Merged  all 3 shards');
  });

  test('of which one is missing is judged by what is there, and exits with 1', async () => {
    const { code, out } = await run(
      'merge',
      join(where, 'shard-1-of-3.json'),
      join(where, 'shard-2-of-3.json'),
      '--jobs',
      '1',
      '--out',
      folder,
    );

    expect(code).toBe(1);
    expect(out).toContain('Counts  of 128 schedules per cell');
    expect(out).toContain('INCOMPLETE: 2 of 3 shards, without 3');
  });

  test('and find --shard are not of one campaign', async () => {
    const { code, err } = await run('merge', join(where, 'shard-1-of-3.json'), shard(2));

    expect(code).toBe(2);
    expect(err).toContain('one is of compare, the other of find');
  });

  test('played by other code is not merged, and the cell is named', async () => {
    const path = join(where, 'shard-1-of-3.json');
    const text = readFileSync(path, 'utf8');
    const fingerprint =
      /"column": "memory",\s+"fingerprint": "([0-9a-f]{32})"/.exec(text)?.[1] ?? '';
    const spoilt = write('spoilt.json', text.replace(fingerprint, 'f'.repeat(32)));

    const alone = await run('merge', spoilt, '--jobs', '1');
    const beside = await run('merge', spoilt, join(where, 'shard-2-of-3.json'), '--jobs', '1');

    expect(alone.code).toBe(2);
    expect(alone.err).toContain('holdfast: none on memory has other results here than where');
    expect(beside.code).toBe(2);
    expect(beside.err).toContain('in none on memory the same schedules came out differently');
  });
});

/** Up to where the paths are. */
function storyIn(text: string): string {
  return text.slice(0, text.indexOf('Replay  '));
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
