import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStoryText, type Story, storyToString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { main } from '../../packages/holdfast/test/kit.ts';
import { root } from '../../test/support/source-file.ts';
import { evaluate } from '../src/edited/evaluate.ts';
import { editedLock, editingOf } from '../src/edited/index.ts';
import { builtSources } from '../src/find/built-sources.ts';
import { playGuarded } from '../src/search/index.ts';
import { Console } from './support/console.ts';

const STORIES = join(root, 'harness/stories');
const kept = readdirSync(STORIES).map((file) =>
  parseStoryText(readFileSync(join(STORIES, file), 'utf8')),
);
const simplePause = kept.find(
  ({ backend, fault }) => backend === 'redis-simple' && fault === 'pause',
)!;
const scripts = readFileSync(join(root, 'packages/redis-simple/src/scripts.ts'), 'utf8');
const COMPARE = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then";

/** One story of every lock whose files can be edited. */
const stories = new Map(
  kept
    .filter(({ backend, expect: { kind } }) => kind !== 'stuck' && editingOf(backend) !== undefined)
    .map((story) => [story.backend, story]),
);

test.each([...stories])(
  '%s has the same trace if its own files take its place',
  async (lock, story) => {
    const sources = builtSources(lock);
    const subject = await editedLock(lock, { files: {} }, sources);

    const { hash } = await playGuarded(story.schedule, subject, { trace: true });

    expect(hash).toBe(story.expect.hash);
  },
);

function withCode(text: string): string {
  const story: Story = { ...simplePause, code: { files: { 'scripts.ts': text } } };
  return storyToString(story);
}

test('replay shows the code that a story carries, and runs it only if told to', async () => {
  const asItShips = withCode(scripts);

  const changed = withCode(scripts.replace(COMPARE, "if not redis.call('GET', KEYS[1]) then"));
  const [refused, run, differs] = [new Console(), new Console(), new Console()];

  expect(await main(['replay', asItShips], refused)).toBe(2);
  expect(refused.err).toContain(COMPARE);
  expect(refused.err).toContain('--run-code');
  expect(refused.out).toBe('');
  expect(await main(['replay', asItShips, '--run-code'], run)).toBe(0);
  expect(run.err).toBe('');
  expect(await main(['replay', changed, '--run-code'], differs)).toBe(1);
});

test.each([
  ['a network', "import 'node:net';", /a\.ts imports node:net; it may import core/],
  ['a file that is not here', "import './b.ts';", /a\.ts imports \.\/b\.ts, which is not here/],
  ['what objects inherit', "import 'constructor';", /it may import core/],
  ['a syntax error', 'const = 1;', /^a\.ts: .*1:/],
])('code cannot import %s', (_, text, why) => {
  expect(() => evaluate('a.ts', { 'a.ts': text }, { core: {} })).toThrow(why);
});

test('files may import each other in a circle, and share one module', () => {
  const files = {
    'a.ts':
      "import { b } from './b.js'; export const a: number = 1; export const sum = () => a + b();",
    'b.ts': "import { a } from './a.ts'; export const b = (): number => a + 1;",
  };

  const { sum } = evaluate('a.js', files, {});

  expect((sum as () => number)()).toBe(3);
});
