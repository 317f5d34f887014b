import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LabReport, pageOf } from '../../packages/lab/src/index.ts';
import { chromiumPath, startChromium } from './chromium.ts';

const SAMPLE = new URL('../../docs/sample-report/', import.meta.url);
const report: LabReport = JSON.parse(readFileSync(new URL('report.json', SAMPLE), 'utf8'));
const html = pageOf(report);
const path = chromiumPath();

test('the sample report is what is made of its figures', () => {
  expect(readFileSync(new URL('report.html', SAMPLE), 'utf8')).toBe(html);
});

test('the page needs neither a script nor a network', () => {
  expect(html).not.toMatch(/<script|<link[^>]+href="http|src="http|@import|url\(http/);
});

test('the page is light enough to be sent to somebody', () => {
  expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
});

describe.skipIf(path === undefined)('in Chromium', () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (path !== undefined) browser = await startChromium(path);
  });

  afterAll(() => browser?.close());

  async function open(skip: (why: string) => never, width: number, height: number): Promise<Page> {
    const page = await browser?.newPage({ viewport: { width, height } });
    return page ?? skip('no chromium on PATH, and none named by CHROMIUM');
  }

  test.each([
    ['a screen', 1280, 'screen', 'light'],
    ['a screen in the dark', 1280, 'screen', 'dark'],
    ['a phone', 390, 'screen', 'light'],
    ['paper', 794, 'print', 'light'],
  ] as const)(
    'on %s nothing overflows, and the console is silent',
    async (_, width, media, scheme) => {
      const page = await open((why) => expect.unreachable(why), width, 800);
      const said: string[] = [];
      page.on('console', (message) => said.push(message.text()));
      page.on('pageerror', (error) => said.push(error.message));
      await page.emulateMedia({ media, colorScheme: scheme });
      await page.setContent(html);
      await page.evaluate(
        'document.querySelectorAll("details").forEach((each) => { each.open = true; })',
      );

      const inner = await page.evaluate('document.documentElement.scrollWidth');

      expect(inner).toBeLessThanOrEqual(width);
      expect(said).toEqual([]);
      await page.close();
    },
  );

  test('the first screen has a sentence for each backend, and the whole matrix', async ({
    skip,
  }) => {
    const page = await open(skip, 1280, 800);
    await page.setContent(html);

    const bottom = await page.evaluate(
      'document.querySelector(".matrix").getBoundingClientRect().bottom',
    );

    expect(bottom).toBeLessThanOrEqual(800);
    expect(await page.locator('.says li').count()).toBe(report.columns.length);
    await page.close();
  });

  test('every cell leads to what happened in it', async ({ skip }) => {
    const page = await open(skip, 1280, 800);
    await page.setContent(html);

    const hrefs = await page.evaluate(
      '[...document.querySelectorAll(".matrix a")].map((link) => link.getAttribute("href"))',
    );
    const dead = [];
    for (const href of hrefs as string[])
      if ((await page.locator(href).count()) !== 1) dead.push(href);

    expect(hrefs).toHaveLength(report.cells.length);
    expect(dead).toEqual([]);
    await page.close();
  });

  test('every cell of a lock says how to play its story, and all pictures can be seen', async ({
    skip,
  }) => {
    const page = await open(skip, 1280, 800);
    await page.setContent(html);
    await page.evaluate(`document.querySelectorAll("details").forEach((each) => { each.open = true; });
      document.querySelectorAll("img").forEach((each) => { each.loading = "eager"; });`);
    await page.evaluate('Promise.all([...document.images].map((each) => each.decode()))');

    const locks = report.cells.filter(({ column }) => column !== 'no-lock');
    const stories = locks.flatMap(({ story }) => story ?? []);

    expect(await page.locator('details .story code').count()).toBe(locks.length);
    expect(await page.locator('img[alt*="the story "]').count()).toBe(stories.length);
    expect(stories.length).toBeGreaterThan(locks.length / 2);
    await page.close();
  });
});
