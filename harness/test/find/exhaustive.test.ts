import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Explored, parseStory, storyFromString } from '@holdfast/harness/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../../packages/holdfast/test/kit.ts';
import { inkFor } from '../../src/compare/paint.ts';
import { formatExhaustive } from '../../src/exhaustive/format-exhaustive.ts';
import type {
  ExhaustiveRequest,
  ExhaustiveResult,
} from '../../src/exhaustive/search-exhaustively.ts';
import { Console } from '../support/console.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-exhaustive-'));
const path = join(folder, 'late.json');
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<Console & { readonly code: number }> {
  const console = new Console();
  return Object.assign(console, { code: await main(args, console) });
}

describe('find --exhaustive', () => {
  let found: Awaited<ReturnType<typeof run>>;

  beforeAll(async () => {
    const late = ['--exhaustive', '--property', 'belief', '--out', path];
    found = await run('find', 'redis-simple', ...late);
  }, 60_000);

  test('tells the order that shows what was asked for, and which of it matters', () => {
    expect(found.code).toBe(0);
    expect(found.out).toMatch(
      /^LATE HOLDER: a client continued after its lease had ended\n◐ redis-simple, one round each/,
    );
    expect(found.out).toMatch(/Found in interleaving \d+ of 2 clients of one round each on one/);
    expect(found.out).toMatch(/steps\s+whose\s+order\s+matters:\s+a,/);
    expect(found.out).toContain(`npx holdfast replay ${path}`);
    expect(found.err).toMatch(/found in interleaving \d+; shortening it/);
  });

  test('writes a story like any other: it replays with the same verdict and the same trace', async () => {
    const story = parseStory(JSON.parse(readFileSync(path, 'utf8')));
    const fromString = /npx holdfast replay (r1\.\S+)/.exec(found.out)?.[1] ?? '';

    expect(story).toMatchObject({ fault: 'none', property: 'belief', schedule: { faults: [] } });
    expect(storyFromString(fromString)).toEqual(story);
    for (const where of [path, fromString]) {
      const { code, out } = await run('replay', where);
      expect(code).toBe(0);
      expect(out).toContain(`the same trace (${story.expect.hash})`);
    }
  });

  test('plays it on no other lock, whose steps are others', async () => {
    const { code, err } = await run('replay', path, '--on', 'all');

    expect(code).toBe(2);
    expect(err).toContain('other locks have other steps');
  });

  test('says so when the budget ends it, and never that it is complete', async () => {
    const { code, out, err } = await run('find', 'redis-simple', '--exhaustive', '--budget', '30');
    const json = await run('find', 'redis-simple', '--exhaustive', '--budget', '30', '--json');

    expect(code).toBe(3);
    expect(err).toMatch(/^trying every order, at most 30 runs \(--budget\)\n/);
    expect(out).toMatch(/^INCOMPLETE: none in \d+ interleavings, and there are more\n/);
    expect(out).not.toMatch(/^COMPLETE|No order/m);
    expect(JSON.parse(json.out)).toMatchObject({
      format: 'holdfast-sweep',
      found: false,
      complete: false,
      clients: 2,
      nodes: 1,
    });
  });

  test.each([
    [['redis-simple', '--fault', 'pause'], 'so --fault has no effect'],
    [['redis-simple', '--clients', '4'], '--clients needs a whole number from 2 to 3'],
    [['redis-simple', '--property', 'resource'], 'unknown property "resource" for --exhaustive'],
    [['redis-simple', '--fenced'], 'judges the lock, not the resource'],
    [['zk'], 'is not on Redis nodes'],
    [['memory'], 'is not on Redis nodes'],
    [[], 'name one lock'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run('find', ...args, '--exhaustive');

    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('alone knows of clients', async () => {
    const { code, err } = await run('find', 'redis-simple', '--fault', 'pause', '--clients', '2');

    expect(code).toBe(2);
    expect(err).toContain('--clients is for --exhaustive');
  });
});

const REQUEST: ExhaustiveRequest = {
  lock: 'redis-simple',
  clients: 3,
  target: { property: 'validity', fenced: false },
  budget: 10,
};
function swept(explored: Explored): ExhaustiveResult {
  return {
    ...explored,
    scope: { clients: 3, nodes: 1 },
    timeModels: ['calls are in time'],
    found: undefined,
    plays: 0,
  };
}

function text(explored: Explored): string {
  return formatExhaustive(swept(explored), REQUEST, path, inkFor(new Console().stdout, {})).join(
    '\n',
  );
}

describe('what a search through everything says', () => {
  test('complete, it is a proof for its scope, and says what is not in it', () => {
    const complete = text({ runs: 2_016, abandoned: 5_541, isComplete: true });

    expect(complete).toMatch(/^COMPLETE: 2016 interleavings, none\nredis-simple, 3 clients/);
    expect(complete.replaceAll('\n', ' ')).toContain('No order of these steps shows two valid');
    expect(complete.replaceAll('\n', ' ')).toContain('calls that time out not included');
  });

  test('incomplete, it is none', () => {
    const incomplete = text({ runs: 5, abandoned: 5, isComplete: false });

    expect(incomplete).toMatch(/^INCOMPLETE: none in 5 interleavings, and there are more\n/);
    expect(incomplete).not.toContain('No order');
  });
});
