import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { OUTCOMES } from '@holdfast/harness/draw';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, startChromium } from '../browser/chromium.ts';
import { serve } from '../browser/play-page.ts';
import { DEBATE } from '../stories/redlock-debate.ts';
import { filesBelow, root } from '../support/source-file.ts';

const BASE = '/x/';
const OUT = join(root, 'out/site');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const chromium = chromiumPath();

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

describe.skipIf(chromium === undefined)('in Chromium, the built site', () => {
  let browser: Browser | undefined;
  let server: Awaited<ReturnType<typeof serve>> | undefined;

  beforeAll(async () => {
    browser = await startChromium(chromium ?? '');
    server = await serve(OUT, BASE);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  async function open(
    name: string,
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<Page> {
    const page = await browser!.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    await page.goto(`${server!.url}${name}`);
    return page;
  }

  test('plays every run of the debate, to what each side says of it', async () => {
    const page = await open('debate.html');
    const known = new Map(DEBATE.flatMap(({ stories }) => Object.entries(stories)));
    await page.locator('.play-here').first().waitFor();
    const buttons = await page.locator('.play-here').all();
    const names = await page.locator('p:has(.play-here) > code').allTextContents();

    for (const button of buttons) await button.click();

    await expect.poll(() => page.locator('.verdict').count()).toBe(buttons.length);
    const verdicts = await page.locator('.verdict').allTextContents();
    const stories = names.map((text) => text.replace('npx holdfast replay ', ''));
    expect(stories.length).toBeGreaterThan(12);
    expect(stories.map((name, i) => [name, verdicts[i]?.slice(0, 1)])).toEqual(
      stories.map((name) => [name, OUTCOMES[known.get(name)!].glyph]),
    );
    await page.close();
  });

  test('lets an exercise be solved on the page of its lesson', async () => {
    const page = await open('lessons/02-expire.html');
    await page.getByText('Solve it here').click();
    await page.locator('.cm-content').waitFor();
    const judge = page.getByRole('button', { name: 'Let the search judge it' });

    await judge.click();
    await page.getByText(/^Not yet: schedule \d+ under holder-crash breaks it/).waitFor();
    expect(await page.locator('.verdict').first().textContent()).toMatch(/^✗/);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(
      readFileSync(join(root, 'test/lessons/solutions/02-expire.js'), 'utf8'),
    );
    await judge.click();

    await page.getByText(/^✓ It held in 2000 schedules under holder-crash/).waitFor();
    await page.close();
  });

  test.each([
    ['playground.html', 'light', 1280],
    ['playground.html', 'dark', 1280],
    ['playground.html', 'light', 390],
    ['lessons/06-fencing.html', 'dark', 390],
    ['debate.html', 'light', 390],
  ] as const)(
    '%s has nothing that axe calls serious, %s, %i px wide',
    async (name, colorScheme, width) => {
      const page = await open(name, { colorScheme, viewport: { width, height: 800 } });
      const button = page.locator('.play-here').first();
      if (name !== 'playground.html') await button.click();
      await page.locator('.verdict').first().waitFor();
      await page.addScriptTag({ path: AXE });

      // Of the pages, only what is ours: the frame around them is the generator's.
      const found = await page.evaluate(
        'axe.run(".VPDoc").then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => [id, nodes[0].html]))',
      );

      expect(found).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
      await page.close();
    },
  );
});
