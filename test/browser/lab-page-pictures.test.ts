import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageOf } from '../../harness/test/kit/lab.ts';
import { sampleReport } from '../support/sample-report.ts';
import { chromiumPath, startChromium } from './chromium.ts';
import { sizeOf, textOf, withFewColours, withText } from './png.ts';

const SAMPLE = new URL('../../docs/sample-report/', import.meta.url);
const html = pageOf(await sampleReport());
const path = chromiumPath();
/** Fonts and browsers differ from machine to machine, so pictures are not compared dot by dot: each says of what it is: of the page down to its first chart. */
const OF = createHash('sha256')
  .update(html.slice(0, html.indexOf('<svg')))
  .digest('hex');
const WRITES = process.env['SAMPLE_PICTURES'] === 'write';

/** The first screen. */
const FILE = new URL('screen.png', SAMPLE);
const SIZE = { width: 1280, height: 800 };

test.skipIf(WRITES)('the picture is of the sample report as it is', () => {
  const png = readFileSync(FILE);

  expect(textOf(png, 'Of'), 'docs/sample-report/README.md says how to take it again').toBe(OF);
  expect(sizeOf(png)).toEqual(SIZE);
});

describe.skipIf(path === undefined || !WRITES)('in Chromium', () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (path !== undefined) browser = await startChromium(path);
  });

  afterAll(() => browser?.close());

  test('the picture is taken', async () => {
    const page = await browser?.newPage({ viewport: SIZE });
    if (page === undefined) throw new Error('no Chromium was started');
    await page.setContent(html);

    const png = await page.screenshot();

    writeFileSync(FILE, withText(withFewColours(png), 'Of', OF));
    expect(sizeOf(png)).toEqual(SIZE);
    await page.close();
  });
});
