import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseStoryText, storyFromString, storyToString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { chromiumPath, startChromium } from '../browser/chromium.ts';
import { readAll, serve } from '../browser/play-page.ts';
import { keptNames, textOf } from '../stories/matrix-stories.ts';
import { root } from '../support/source-file.ts';

const FOLDER = join(root, 'out/play-deep');
const path = chromiumPath();

test.skipIf(path === undefined)(
  'every story plays in the page to the verdict and the trace that the terminal shows',
  async () => {
    execFileSync(process.execPath, [join(root, 'site/build.mjs'), FOLDER]);
    const [browser, server] = [await startChromium(path ?? ''), await serve(FOLDER)];
    const page = await browser.newPage();
    await page.goto(server.url);
    const names = keptNames();
    const stories = names.map((name) => parseStoryText(textOf(name)));

    const replies = await page.evaluate(readAll, stories.map(storyToString));

    const shown = replies.map(({ error, result }) => error ?? result?.differences);
    expect(Object.fromEntries(names.map((name, i) => [name, shown[i]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, []])),
    );
    expect(replies.map(({ result }) => storyFromString(result?.link ?? ''))).toEqual(stories);
    await browser.close();
    server.close();
  },
);
