import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseStory, type Story, storyToString } from '@holdfast/harness/simulator';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { main, safeIo } from '../../packages/holdfast/test/kit.ts';
import { stemOf } from '../src/cli/write-finding.ts';
import { codeOriginOf } from '../src/foreign/code-origin.ts';
import { textOf } from '../src/shards/shard-text.ts';
import { Console } from './support/console.ts';
import { requestOf, shardOf } from './support/shards.ts';

const COMMAND = fileURLToPath(new URL('../../packages/holdfast/bin/holdfast.js', import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-foreign-')));
const folder = join(home, 'work');
const mark = join(home, 'mark');
afterAll(() => rmSync(home, { recursive: true }));

/** What runs as soon as it is imported. */
const MARKS = `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(mark)}, 'it ran');
export const openBackend = () => {};
`;

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const outside = put(join(home, 'outside.mjs'), MARKS);
const inside = put(join(folder, 'inside.mjs'), MARKS);
put(join(home, 'node_modules', 'above', 'package.json'), '{ "main": "index.mjs" }');
const above = put(join(home, 'node_modules', 'above', 'index.mjs'), MARKS);
put(join(folder, 'node_modules', 'escapes', 'package.json'), '{ "main": "../../../outside.mjs" }');
symlinkSync(outside, join(folder, 'link.mjs'));

beforeEach(() => rmSync(mark, { force: true }));

const STORY = {
  v: 1,
  backend: 'memory',
  fault: 'pause',
  fenced: false,
  property: 'belief',
  schedule: {
    v: 1,
    ttlMs: 1_000,
    latencyMs: 1,
    nodes: 1,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [{ id: 1, client: 'a', atMs: 0, holdMs: 0, renews: false }],
    faults: [{ kind: 'pause', client: 'a', when: { before: 'write', n: 1, by: 'a' }, ms: 1_200 }],
  },
  expect: { kind: 'ok', hash: '0123456789abcdef' },
};

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The installed command, in the folder of somebody who was sent a file. */
function holdfast(...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

function storyOf(part: object): string {
  return put(join(folder, 'story.json'), JSON.stringify({ ...STORY, ...part }));
}

/** A report in which the lock has been found out, by schedule or by never yielding. */
async function shardNaming(lock: string, isStuck: boolean): Promise<string> {
  const request = requestOf('memory', { property: 'belief' });
  const shard = await shardOf(request, 1, 1);
  const [hit] = shard.hits;
  const still = { message: 'it hangs', schedule: hit?.schedule };
  const campaign = { ...shard.campaign, lock };
  const found = isStuck ? { hits: [], still } : {};
  const plain: object = JSON.parse(textOf(shard));
  return put(join(folder, 'shard-1-of-1.json'), JSON.stringify({ ...plain, campaign, ...found }));
}

const FOREIGN: readonly (readonly [how: string, lock: string, file: string])[] = [
  ['a path upwards', '../outside.mjs', outside],
  ['an absolute path', outside, outside],
  ['a way out and in again', '../work/../outside.mjs', outside],
  ['a link', './link.mjs', outside],
  ['a package of a folder above', 'above', above],
  ['a package that points elsewhere', 'escapes', outside],
];

describe('a story names code', () => {
  test.each(FOREIGN)('by %s: it is outside of the working directory', (_, lock, file) => {
    expect(codeOriginOf(lock, folder)).toEqual({ kind: 'outside', file });
  });

  test.each(['../outside.mjs', './link.mjs'])('%s: it is named and not run', (lock) => {
    const { code, out, err } = holdfast('replay', storyOf({ backend: lock }));

    expect(existsSync(mark)).toBe(false);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toBe(
      `holdfast: this story would run ${outside}, which is outside of the working directory\nRead that file first; if you trust it, add --trust.\n`,
    );
  });

  test('in a replay string: it is not run either', () => {
    const text = storyToString(parseStory({ ...STORY, backend: '../outside.mjs' }));

    expect(holdfast('replay', text).code).toBe(2);
    expect(existsSync(mark)).toBe(false);
  });

  test('by a path to a server of Windows: it is not read', () => {
    const lock = String.raw`\\server\share\lock.js`;

    expect(codeOriginOf(lock, folder)).toEqual({ kind: 'outside', file: lock });
  });

  test.each([
    ['a URL', pathToFileURL(outside).href],
    ['data', 'data:text/javascript,export default 1'],
    ['a name that is not installed', 'not-installed'],
  ])('by %s: it is missing', (_, lock) => {
    expect(codeOriginOf(lock, folder)).toEqual({ kind: 'missing' });
  });

  test('that is missing: the error does not say to install it', async () => {
    const console = new Console();

    expect(await main(['replay', storyOf({ backend: 'not-installed' })], console)).toBe(2);
    expect(console.err).toBe(
      'holdfast: this story needs the lock "not-installed", which is no file or package here.\nRun this in the folder in which the search was run.\n',
    );
  });

  test.each([
    ['inside of the working directory', './inside.mjs', inside, []],
    ['outside, and is trusted', '../outside.mjs', outside, ['--trust']],
  ])('%s: it is named, then run', (_, lock, file, options) => {
    const { err } = holdfast('replay', storyOf({ backend: lock }), ...options);

    expect(err).toMatch(/^runs /);
    expect(err.split('\n')[0]).toBe(`runs ${file}, which this story names`);
    expect(existsSync(mark)).toBe(true);
  });

  test('inside, by an absolute path: it is inside', () => {
    expect(codeOriginOf(inside, folder)).toEqual({ kind: 'inside', file: inside });
  });

  test('of ours: nothing is said', async () => {
    const console = new Console();

    expect(await main(['replay', 'simple-pause'], console)).toBe(0);
    expect(console.err).toBe('');
  });
});

describe('a shard names code', () => {
  test.each([
    ['broken', false],
    ['stuck', true],
  ])('of a lock that was found %s: it is named and not run', async (_, isStuck) => {
    const { code, err } = holdfast('merge', await shardNaming('../outside.mjs', isStuck));

    expect(existsSync(mark)).toBe(false);
    expect(code).toBe(2);
    expect(err).toContain(`this shard would run ${outside}, which is outside`);
  });

  test('and is trusted: it is named, then run', async () => {
    const { err } = holdfast('merge', await shardNaming('../outside.mjs', false), '--trust');

    expect(err).toContain(`runs ${outside}, which this shard names\n`);
    expect(existsSync(mark)).toBe(true);
  });

  test('cannot choose where the story is written', () => {
    expect(stemOf('a\n/../../../etc/cron.d/x')).toBe('x');
    expect(stemOf('a\n..\\x.mjs')).toBe('x');
    expect(stemOf('./my-lock.v2.js')).toBe('my-lock.v2');
    expect(stemOf('@scope/lock')).toBe('lock');
    expect(stemOf('x\u001B[2J')).toBe('x--2J');
    expect(stemOf('x'.repeat(1_000))).toHaveLength(80);
  });
});

/** What a terminal would obey, hide or turn around; a line break is none where lines are printed. */
const SPEAKS = /[^\P{C}\n]|[\u2028\u2029]/u;
const TRICKS = [
  ['an escape', '\u001B[2K'],
  ['a bell', '\u0007'],
  ['a C1 control', '\u009B2J'],
  ['a turn of direction', '\u202Etxt'],
  ['a line break', '\nReplayed: the same verdict'],
  ['a line separator', '\u2028x'],
] as const;

/** On a terminal. */
async function printed(args: readonly string[]): Promise<string> {
  const console = new Console({}, true);
  await main(args, console);
  return console.out + console.err;
}

describe('text of others', () => {
  test.each(TRICKS)(
    'with %s in the name of a lock is refused, and reported without it',
    async (_, trick) => {
      const story = await printed(['replay', storyOf({ backend: `./x${trick}.js` })]);
      const shard = await printed(['merge', await shardNaming(`./x${trick}.js`, false)]);

      for (const text of [story, shard]) {
        expect(text).not.toMatch(SPEAKS);
        expect(text).toMatch(/has control characters in "\.\/x\\u/);
        expect(text.split('\n')).toHaveLength(3);
      }
    },
  );

  test('that joins or parts letters is read, since there are names of folders that need it', async () => {
    const text = await printed([
      'replay',
      storyOf({ backend: './\u0646\u0645\u06CC\u200C\u062E/x.js' }),
    ]);

    expect(text).not.toMatch(SPEAKS);
    expect(text).not.toContain('control characters');
  });

  test.each(TRICKS)(
    'with %s in the name of a field is refused, and reported without it',
    async (_, trick) => {
      const text = await printed(['replay', storyOf({ [trick]: 1 })]);

      expect(text).not.toMatch(SPEAKS);
      expect(text.split('\n')).toHaveLength(3);
    },
  );

  test('that is no JSON is not quoted', async () => {
    const path = put(join(folder, 'story.json'), '\u001B[2J\u0007');

    expect(await printed(['replay', path])).toBe(
      `holdfast: ${path} is not valid JSON, perhaps it was truncated\nSee holdfast replay --help.\n`,
    );
  });

  test.each(TRICKS)('with %s in the name of a file is reported without it', async (_, trick) => {
    const reports = join(folder, 'reports');
    rmSync(reports, { recursive: true, force: true });
    put(join(reports, `x${trick.replaceAll('/', '')}-shard-1-of-1.json`), '{}');

    const text = await printed(['merge', reports]);

    expect(text).not.toMatch(SPEAKS);
    expect(text.split('\n')).toHaveLength(3);
  });

  test('that a replay string brings is refused too', async () => {
    const story: Story = { ...parseStory(STORY), backend: './x\u001B[2J.js' };

    expect(await printed(['replay', storyToString(story)])).toBe(
      'holdfast: this replay string has control characters in "./x\\u001b[2J.js"\nSee holdfast replay --help.\n',
    );
  });

  test('as a message of a lock stays in its shard, without what a terminal obeys', async () => {
    const shard = await shardOf(requestOf('memory', { property: 'belief' }), 1, 1);
    const hits = shard.hits.map((hit) => ({
      ...hit,
      violation: { ...hit.violation, message: 'the lock threw: \u001B[2J' },
    }));

    expect(textOf({ ...shard, hits })).toContain('the lock threw: \\\\u001b[2J');
  });

  test.each([true, false])(
    'never speaks to whoever looks on (a terminal: %s); colours of ours do',
    (isTTY) => {
      const console = new Console({}, isTTY);
      const own = '\u001B[1m\u001B[31mred\u001B[39m\u001B[22m\n';

      safeIo(console).stdout.write(`${own}\u001B]0;x\u0007\u001B[5m\t\u{E0041}{"a":"\u009B"}\n`);

      const shown = isTTY ? own : own.replaceAll('\u001B', '\\u001b');
      expect(console.out).toBe(
        `${shown}\\u001b]0;x\\u0007\\u001b[5m\t\\udb40\\udc41{"a":"\\u009b"}\n`,
      );
    },
  );
});

describe('a file of others', () => {
  test.each([
    [
      'that nests without end',
      '['.repeat(200_000) + ']'.repeat(200_000),
      'nests more than 32 deep',
    ],
    ['that is huge', ' '.repeat(2_000_000), 'cannot be read: it has more than 1000000 bytes'],
  ])('%s is refused in one line', async (_, text, why) => {
    const path = put(join(folder, 'story.json'), text);
    const console = new Console();

    expect(await main(['replay', path], console)).toBe(2);
    expect(console.err).toBe(`holdfast: ${path} ${why}\nSee holdfast replay --help.\n`);
  });

  test('that is a folder is refused in one line', async () => {
    const console = new Console();

    expect(await main(['replay', folder], console)).toBe(2);
    expect(console.err).toContain(`${folder} cannot be read: EISDIR`);
  });

  test('cannot reach the prototype of anything', async () => {
    const text = JSON.stringify(STORY).replace('"fault"', '"__proto__":{"isTrusted":true},"fault"');
    const shard = readFileSync(await shardNaming('memory', false), 'utf8');
    put(join(folder, 'story.json'), text);
    const bad = put(
      join(folder, 'bad.json'),
      shard.replace('"sometimes":{', '"sometimes":{"__proto__":1,'),
    );
    const console = new Console();

    expect(await main(['replay', join(folder, 'story.json')], console)).toBe(2);
    expect(console.err).toContain('__proto__: unknown field');
    await main(['merge', bad, '--out', join(folder, 'merged.json')], console);
    expect(Reflect.get({}, 'isTrusted')).toBeUndefined();
  });
});
