import { channelDriver, parseStoryText, play } from '@holdfast/harness/simulator';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInSubject } from '../../harness/test/kit/locks.ts';
import { keptNames, textOf } from '../stories/matrix-stories.ts';
import { chromiumPath, scriptOf, startChromium } from './chromium.ts';
import type { hashesOf } from './stories-page.ts';

const names = keptNames();
const texts = names.map(textOf);
const expected = texts.map((text) => parseStoryText(text).expect.hash);
const path = chromiumPath();
const RUNS = 200;

declare global {
  /** The exports of `stories-page.ts`, in the page. */
  var page: { readonly hashesOf: typeof hashesOf };
}

function byName(hashes: readonly string[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(names.map((name, i) => [name, hashes[i]]));
}

describe('in Chromium', () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (path !== undefined) browser = await startChromium(path);
  });

  afterAll(() => browser?.close());

  test('every story has the very trace that it has in Node', async ({ skip }) => {
    const tab =
      (await browser?.newPage()) ?? skip('no chromium on PATH, and none named by CHROMIUM');
    await tab.addScriptTag({ content: await scriptOf('stories-page.ts', 'page') });

    const hashes = await tab.evaluate((stories) => globalThis.page.hashesOf(stories), texts);

    expect(names.length).toBeGreaterThan(0);
    expect(byName(hashes)).toEqual(byName(expected));
  });

  test(`${RUNS} runs of one story of redlock have one trace, that of Node`, async ({ skip }) => {
    const tab =
      (await browser?.newPage()) ?? skip('no chromium on PATH, and none named by CHROMIUM');
    await tab.addScriptTag({ content: await scriptOf('stories-page.ts', 'page') });
    const at = texts.findIndex((text) => parseStoryText(text).backend === 'redlock');
    const runs = Array.from({ length: RUNS }, () => texts[at] ?? '');

    const hashes = await tab.evaluate((stories) => globalThis.page.hashesOf(stories), runs);

    expect(hashes).toHaveLength(RUNS);
    expect([...new Set(hashes)]).toEqual([expected[at]]);
  });
});

test('the driver of time in browsers gives every story an equal trace in Node', async () => {
  const hashes: string[] = [];
  for (const text of texts) {
    const { backend, schedule } = parseStoryText(text);
    const subject = builtInSubject(backend);
    if (subject === undefined) throw new Error(`unknown lock "${backend}"`);
    const { hash = 'none' } = await play(schedule, subject, { trace: true, driver: channelDriver });
    hashes.push(hash);
  }

  expect(byName(hashes)).toEqual(byName(expected));
});
