import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageOf } from '../../harness/test/kit/lab.ts';
import { partOf, sampleFigures, sampleReport } from '../support/sample-report.ts';
import { chromiumPath, startChromium } from './chromium.ts';
import { fullProfile } from './full-profile.ts';

const report = await sampleReport();
const html = pageOf(report);
const full = fullProfile();
const path = chromiumPath();

/** Servers are taken away. */
const SHOWN_FAULTS = ['failover'];
const LONG = /<style>[\s\S]*?<\/style>|<svg[\s\S]*?<\/svg>/g;

test('the page of one fault is what is made of its figures', async () => {
  const page = pageOf(partOf(sampleFigures(), SHOWN_FAULTS));
  const short = page.replaceAll(LONG, (part) => `<!-- ${digestOf(part)} -->`);

  await expect(short).toMatchFileSnapshot('expected/lab-page.html');
});

test('a report has the same page however many were drawn before', () => {
  expect(pageOf(report)).toBe(html);
});

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

test('the page needs neither a script nor a network', () => {
  expect(html).not.toMatch(/<script|<link[^>]+href="http|src="http|@import|url\(http/);
});

test('the page is light enough to send', () => {
  expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
});

const PAGES = { 'the sample report': html, 'a full profile': pageOf(full) } as const;
const PAPERS = [
  ['a screen', 1280, 'screen'],
  ['a phone', 390, 'screen'],
  ['paper', 794, 'print'],
] as const;
const CASES = (['the sample report', 'a full profile'] as const).flatMap((name) =>
  PAPERS.map(([paper, width, media]) => ({ name, paper, width, media })),
);

describe.skipIf(path === undefined)('in Chromium', () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (path !== undefined) browser = await startChromium(path);
  });

  afterAll(() => browser?.close());

  async function open(content: string, width = 1280): Promise<Page> {
    const page = await browser?.newPage({ viewport: { width, height: 800 } });
    if (page === undefined) throw new Error('no Chromium was started');
    await page.setContent(content);
    return page;
  }

  test.each(CASES)(
    'on $paper, light and dark, nothing of $name is cut off, and the console is silent',
    async ({ name, width, media }) => {
      const page = await open('', width);
      const messages: string[] = [];
      page.on('console', (message) => messages.push(message.text()));
      page.on('pageerror', (error) => messages.push(error.message));
      await page.emulateMedia({ media, colorScheme: 'light' });
      await page.setContent(PAGES[name]);
      await page.evaluate(OPEN_ALL);

      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      await page.emulateMedia({ media, colorScheme: 'dark' });
      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      expect(messages).toEqual([]);
      await page.close();
    },
  );

  test.each([
    ['light', 'screen', 'rgb(255, 255, 255)'],
    ['dark', 'screen', 'rgb(13, 17, 23)'],
    ['dark', 'print', 'rgb(255, 255, 255)'],
  ] as const)(
    'with the preference %s, on %s, the paper is %s',
    async (colorScheme, media, colour) => {
      const page = await open(html);
      await page.emulateMedia({ media, colorScheme });

      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(colour);
      await page.close();
    },
  );

  test.each([
    ['the sample report', report],
    ['a full profile', full],
  ] as const)(
    'the first screen of %s has a sentence for each backend, and the whole matrix',
    async (name, { columns, rows }) => {
      const page = await open(PAGES[name]);

      const bottom = await page.evaluate(
        'document.querySelector(".matrix").getBoundingClientRect().bottom',
      );

      expect(bottom).toBeLessThanOrEqual(800);
      expect(await page.locator('.says li').count()).toBe(columns.length);
      expect(await page.locator('.matrix tbody tr').count()).toBe(rows.length);
      await page.close();
    },
  );

  test('a name of a fault and a number of trials take one line each', async () => {
    const page = await open(PAGES['a full profile']);

    const heights = await page.evaluate(
      '[...new Set([...document.querySelectorAll(".matrix tbody tr")].map((row) => Math.round(row.getBoundingClientRect().height)))]',
    );

    expect(Math.max(...(heights as number[])) - Math.min(...(heights as number[]))).toBeLessThan(2);
    await page.close();
  });

  test('every cell leads to what happened in it', async () => {
    const page = await open(html);

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

  test('a click on a cell opens the row that it leads to, and nothing else', async () => {
    const page = await open(html);
    const link = page.locator('.matrix tbody tr:last-child a').last();
    const target = page.locator((await link.getAttribute('href')) ?? '');
    expect(await target.isVisible()).toBe(false);

    await link.click();

    expect(await target.locator('.figures').isVisible()).toBe(true);
    expect(await page.locator('details[open]').count()).toBe(1);
    const summary = await page.locator('details[open] > summary').boundingBox();
    expect(summary?.y).toBeGreaterThanOrEqual(0);
    expect(summary?.y).toBeLessThan(800);
    await page.close();
  });

  test('every cell of a lock says how to play its story, and all pictures can be seen', async () => {
    const page = await open(html);
    await page.evaluate(OPEN_ALL);
    await page.evaluate('Promise.all([...document.images].map((each) => each.decode()))');

    const locks = report.cells.filter(({ column }) => column !== 'no-lock');
    const stories = locks.flatMap(({ story }) => story ?? []);

    expect(await page.locator('details .story code').count()).toBe(locks.length);
    expect(await page.locator('img[alt*="the story "]').count()).toBe(stories.length);
    expect(stories.length).toBeGreaterThan(locks.length / 2);
    await page.close();
  });
});

const OPEN_ALL = `document.querySelectorAll("details").forEach((each) => { each.open = true; });
  document.querySelectorAll("img").forEach((each) => { each.loading = "eager"; });`;

/** The elements that reach over the edge of the page, or scroll inside it: words of a chart as well as tables. */
const CUT_OFF = `[
  ...[...document.querySelectorAll("body *")].filter((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    return width > 0 && (right > innerWidth + 1 || left < -1);
  }),
  ...[...document.querySelectorAll(".scroll, figure")].filter(
    (each) => each.scrollWidth > each.clientWidth,
  ),
].map((each) => each.tagName + " " + each.textContent.slice(0, 40))`;
