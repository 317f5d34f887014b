import * as core from '@holdfast/core';
import { expect, test } from 'vitest';
import { REPLY_TABLE } from '../packages/redis/test/kit/replies.ts';
import { pageAt } from './support/markdown.ts';
import { filesBelow } from './support/source-file.ts';

const PAGE = pageAt('docs/guides/errors-and-events.md').text;
const EVENTS = sourceOf('packages/core/src/events.ts');

/** Below packages, without tests. */
const SOURCES = filesBelow('packages', (name) => name.endsWith('.ts')).filter(({ path }) =>
  /^packages\/[\w-]+\/src\//.test(path),
);

function sourceOf(path: string): string {
  const [file] = filesBelow(path.replace(/\/[^/]+$/, ''), (name) => path.endsWith(`/${name}`));
  if (file === undefined) throw new Error(`unknown file "${path}"`);
  return file.text;
}

/** All matches of the first group of a pattern, in the sources of the packages. */
function foundInSources(...patterns: readonly RegExp[]): ReadonlySet<string> {
  const found = SOURCES.flatMap(({ text }) =>
    patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name = '']) => name)),
  );
  return new Set(found);
}

/** Returns the words that are not on the page as code. */
function missing(names: Iterable<string>): readonly string[] {
  return [...names].filter(
    (name) => !PAGE.includes(`\`${name}\``) && !PAGE.includes(`\`${name}?\``),
  );
}

/** Those that do not begin a row of a table. */
function withoutRow(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => !PAGE.includes(`\n| \`${name}\` |`));
}

test('every exported error class has a row, with its code', () => {
  const classes = Object.entries(core).filter(
    ([, value]) =>
      typeof value === 'function' &&
      (value === core.LockError || value.prototype instanceof core.LockError),
  );
  const codes = [...sourceOf('packages/core/src/errors.ts').matchAll(/super\('([A-Z_]+)'/g)];

  expect(classes.length).toBeGreaterThanOrEqual(9);
  expect(withoutRow(classes.map(([name]) => name))).toEqual([]);
  expect(missing(codes.map(([, code = '']) => code))).toEqual([]);
});

test('every code of a LockError is named', () => {
  const codes = foundInSources(
    /(?:new LockError|\brefus\w+)\(\s*'([A-Z_]+)'/g,
    /^\s+code: '([A-Z]+_[A-Z_]+)',$/gm,
  );
  const replies = REPLY_TABLE.filter(({ meaning }) => meaning === 'refused').map(
    ({ code }) => code,
  );

  expect([...codes]).toEqual(
    expect.arrayContaining(['CLOSED', 'FOREIGN_KEY', 'QUEUE_FULL', 'NO_AUTH']),
  );
  expect(missing([...codes, ...replies])).toEqual([]);
});

test('every type of event has a row, and every field and reason is named', () => {
  const fields = [...EVENTS.matchAll(/readonly (\w+)\??:/g)].map(([, name = '']) => name);
  const reasons =
    /type LossReason =([\s\S]*?);/.exec(EVENTS)?.[1]?.matchAll(/\| '([\w-]+)'/g) ?? [];

  expect(withoutRow(core.LOCK_EVENT_TYPES)).toEqual([]);
  expect(fields.length).toBeGreaterThan(15);
  expect(missing(fields)).toEqual([]);
  expect(missing(Array.from(reasons, ([, reason = '']) => reason))).toEqual([]);
});

test('every code of a warning has a row', () => {
  const codes = foundInSources(
    /type: 'warning',[^}]*?code: '([\w-]+)'/g,
    /code: '([a-z]+(?:-[a-z]+)+)'/g,
    /#?warn\('([a-z-]+)'/gi,
  );

  expect(codes.size).toBeGreaterThanOrEqual(12);
  expect(withoutRow(codes)).toEqual([]);
});
