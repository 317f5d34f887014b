import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, linksOf, MARKDOWN, pageAt } from './support/markdown.ts';
import { filesBelow, root, type SourceFile } from './support/source-file.ts';

/** A lock of the reader's. */
const EXAMPLE = /my-lock/;

/** Returns the reason why a link is broken; undefined if it is not. */
function faultOf(page: SourceFile, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page.path : normalize(join(dirname(page.path), decodeURI(path)));
  if (!existsSync(join(root, target))) return `${link}: no such file`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsOf(pageAt(target)).has(anchor) ? undefined : `${link}: no such heading`;
}

/** The pages that an index has to name, without those that the index of their own folder names. */
function unnamedBy(index: string): readonly string[] {
  const folder = dirname(index);
  const named = new Set(
    linksOf(pageAt(index)).map((link) => normalize(join(folder, link.split('#')[0] ?? ''))),
  );
  return MARKDOWN.map(({ path }) => path).filter(
    (path) =>
      path.startsWith(`${folder}/`) && path !== index && !named.has(path) && !hasIndex(path, index),
  );
}

function hasIndex(path: string, index: string): boolean {
  const own = `${dirname(path)}/README.md`;
  return own !== index && basename(path) !== 'README.md' && existsSync(join(root, own));
}

describe.each(MARKDOWN.map((page) => ({ ...page, links: linksOf(page) })))('$path', (page) => {
  test('links to files and headings that exist', () => {
    expect(page.links.flatMap((link) => faultOf(page, link) ?? [])).toEqual([]);
  });
});

test.each(['docs/README.md', 'docs/lessons/README.md'])('%s names every page', (index) => {
  expect(unnamedBy(index)).toEqual([]);
});

test('every page that code names exists', () => {
  const sources = ['packages', 'harness/src', 'scripts'].flatMap((folder) =>
    filesBelow(folder, (name) => /\.(?:ts|js|mjs)$/.test(name)),
  );
  const named = sources.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?<![\w/])docs\/[\w/-]+\.(?:md|json)/g), ([page]) => ({
      path,
      page,
    })),
  );

  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
  expect(statSync(join(root, 'docs/matrix.json')).isFile()).toBe(true);
});

test('every file of the project that a page names exists', () => {
  const named = MARKDOWN.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/`((?:packages|harness|test|scripts)\/[\w./-]+)`/g),
      ([, file = '']) => ({
        path,
        file,
      }),
    ),
  );

  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ file }) => !existsSync(join(root, file)) && !EXAMPLE.test(file))).toEqual(
    [],
  );
});

test('a link that leads nowhere is found', () => {
  const page = {
    path: 'docs/start/x.md',
    text: '# A b\n[a](#a-b) [b](#c) [c](../none.md) `[d](e)`',
  };

  expect(linksOf(page)).toEqual(['#a-b', '#c', '../none.md']);
  expect([...anchorsOf(page)]).toEqual(['a-b']);
  expect(faultOf(page, '../none.md')).toBe('../none.md: no such file');
  expect(faultOf(page, '../lessons/README.md#none')).toMatch('no such heading');
});
