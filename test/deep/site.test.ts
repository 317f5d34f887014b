import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, root } from '../support/source-file.ts';

const BASE = '/x/';
const OUT = join(root, 'out/site');

/** The links of the built pages that lead nowhere: to a file or an anchor that does not exist. */
function deadLinks(pages: readonly string[]): readonly string[] {
  const texts = new Map(pages.map((page) => [page, readFileSync(join(OUT, page), 'utf8')]));
  return [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/<a [^>]*?href="([^"]*)"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .filter((href) => !/^[a-z][a-z+.-]*:/i.test(href) && !leads(page, href, texts))
      .map((href) => `${page}: ${href}`),
  );
}

function leads(page: string, href: string, texts: ReadonlyMap<string, string>): boolean {
  const [path = '', anchor] = href.split('#');
  if (path.startsWith('/') && !path.startsWith(BASE)) return false;
  const inside = path.startsWith('/')
    ? path.slice(BASE.length)
    : posix.join(posix.dirname(page), path);
  const name = path === '' ? page : inside;
  const file = name === '' || name.endsWith('/') ? `${name}index.html` : name;
  const text = texts.get(file);
  if (text === undefined) return existsSync(join(OUT, file));
  return (
    anchor === undefined || anchor === '' || text.includes(`id="${decodeURIComponent(anchor)}"`)
  );
}

test('the site is built for any base, with the playground, and no link of it is dead', () => {
  const site = join(root, 'site');
  execFileSync(process.execPath, ['build.mjs'], { cwd: site });
  execFileSync(join(site, 'node_modules/.bin/vitepress'), ['build', '--base', BASE], { cwd: site });
  const pages = filesBelow('out/site', (name) => name.endsWith('.html')).map(({ path }) =>
    path.slice('out/site/'.length),
  );

  expect(pages.length).toBeGreaterThan(60);
  expect(pages).toContain('playground.html');
  expect(existsSync(join(OUT, 'play/worker.js'))).toBe(true);
  expect(deadLinks(pages)).toEqual([]);
});
