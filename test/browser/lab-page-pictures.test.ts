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

/** The first screen; of a phone, where that ends with the sentences, all of it down to the legend of the matrix. */
const PICTURES = [
  { file: 'screen.png', width: 1280, height: 800 },
  { file: 'phone.png', width: 390, height: undefined },
] as const;

test.skipIf(WRITES).each(PICTURES)(
  '$file is of the sample report as it is',
  ({ file, width, height }) => {
    const png = readFileSync(new URL(file, SAMPLE));

    expect(textOf(png, 'Of'), 'docs/sample-report/README.md says how to take it again').toBe(OF);
    expect(sizeOf(png)).toEqual({ width, height: height ?? sizeOf(png).height });
  },
);

describe.skipIf(path === undefined || !WRITES)('in Chromium', () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (path !== undefined) browser = await startChromium(path);
  });

  afterAll(() => browser?.close());

  test.each(PICTURES)('$file is taken', async ({ file, width, height }) => {
    const page = await browser?.newPage({ viewport: { width, height: height ?? 800 } });
    if (page === undefined) throw new Error('no Chromium was started');
    await page.setContent(html);
    const legend = await page.locator('.legend').boundingBox();
    const bottom = Math.ceil((legend?.y ?? 0) + (legend?.height ?? 0)) + 8;

    const clip = { x: 0, y: 0, width, height: height ?? bottom };
    const png = await page.screenshot({ clip, fullPage: true });

    writeFileSync(new URL(file, SAMPLE), withText(withFewColours(png), 'Of', OF));
    expect(sizeOf(png)).toEqual({ width, height: clip.height });
    await page.close();
  });
});
