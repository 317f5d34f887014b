import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseStoryText, play, storyFromString, storyToString } from '@holdfast/harness/simulator';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtInSubject } from '../../harness/test/kit/locks.ts';
import { keptNames, textOf } from '../stories/matrix-stories.ts';
import { root } from '../support/source-file.ts';
import { chromiumPath, startChromium } from './chromium.ts';
import { readAll, serve } from './play-page.ts';

const FOLDER = join(root, 'out/play-test');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const path = chromiumPath();
const simplePause = parseStoryText(textOf('simple-pause'));
/** For the whole page with one recipe, in bytes. */
const COMPRESSED_MAX = 400_000;

execFileSync(process.execPath, [join(root, 'site/build.mjs'), FOLDER]);

/** The names of all stories that a lesson says how to replay. */
function storiesOfLessons(): readonly string[] {
  const folder = join(root, 'docs/lessons');
  const pages = readdirSync(folder).filter((file) => file.endsWith('.md'));
  const text = pages.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
  return keptNames().filter((name) => text.includes(`\`npx holdfast replay ${name}\``));
}

function verdict(page: Page): Locator {
  return page.locator('.verdict').first();
}

function now(page: Page): Locator {
  return page.locator('.now');
}

function pauseButton(page: Page): Locator {
  return page.getByRole('button', { name: 'Pause', exact: true });
}

describe.skipIf(path === undefined)('in Chromium, the playground', () => {
  let browser: Browser | undefined;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  /** For all tests that need no screen of their own. */
  let shared: Page | undefined;
  const messages: string[] = [];

  beforeAll(async () => {
    if (path !== undefined) browser = await startChromium(path);
    server = await serve(FOLDER, '/x/');
    if (browser !== undefined) shared = await fresh();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** The shared page, with another fragment. */
  async function open(fragment: string): Promise<Page> {
    if (shared === undefined) throw new Error('no Chromium was started');
    await shared.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
    return shared;
  }

  async function fresh(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser?.newPage({ viewport: { width: 1100, height: 900 }, ...options });
    if (page === undefined || server === undefined) throw new Error('no Chromium was started');
    page.on('pageerror', ({ message }) => messages.push(message));
    page.on('console', (message) => messages.push(message.text()));
    await page.goto(server.url);
    await page.locator('optgroup option').first().waitFor({ state: 'attached' });
    return page;
  }

  test('loads no lock but the one that it shows, and little in all', async () => {
    const page = await browser!.newPage();
    const loaded = new Set<string>();
    page.on('response', (response) => loaded.add(new URL(response.url()).pathname.slice(2)));
    await page.goto(server!.url);
    await page.locator('optgroup option').first().waitFor({ state: 'attached' });
    const first = [...loaded].map((each) => (each === '/' ? '/index.html' : each));
    const bytes = first.reduce(
      (sum, file) => sum + gzipSync(readFileSync(join(FOLDER, file))).length,
      0,
    );
    console.log(`page and redis-simple: ${bytes} bytes compressed, in ${first.length} files`);

    await page.locator('select').first().selectOption('zk');
    await expect.poll(() => page.locator('.title').first().textContent()).toContain('zk');

    const later = [...loaded].filter((each) => !first.includes(each) && each !== '/');
    expect(first).toContain('/worker.js');
    expect(bytes).toBeLessThan(COMPRESSED_MAX);
    expect(first.filter((each) => /zk|etcd|postgres|pgsql|redlock/.test(each))).toEqual([]);
    expect(later.filter((each) => each.startsWith('/locks/zk-'))).toHaveLength(1);
    await page.close();
  });

  test('plays the stories of all lessons to the verdict and the trace that the terminal shows', async () => {
    const page = await open('');
    const names = storiesOfLessons();
    const stories = names.map((name) => parseStoryText(textOf(name)));
    const other = { kind: 'ok', hash: '0123456789abcdef' } as const;
    const links = [...stories, { ...simplePause, expect: other }].map(storyToString);

    const replies = await page.evaluate(readAll, links);

    const last = replies.pop();
    expect(names.length).toBeGreaterThan(20);
    expect(replies.map(({ result }) => result?.differences)).toEqual(names.map(() => []));
    expect(replies.map(({ result }) => storyFromString(result?.link ?? ''))).toEqual(stories);
    expect(last?.result?.differences).toEqual([
      'belief was ok, and is violated now',
      expect.stringContaining('the trace was 0123456789abcdef'),
    ]);
  });

  const op = simplePause.schedule.ops[0]!;
  const tooMany = Array.from({ length: 101 }, (_, id) => ({ ...op, id }));
  test.each([
    ['garbage', 'r1.garbage', 'cut or altered'],
    ['another version', 'r9.abc', 'version 9; this release reads r1.'],
    ['no replay string', 'hello', 'begins with r1.'],
    ['a huge string', `r1.${'A'.repeat(40_000)}`, 'at most 32768 characters'],
    [
      'too many operations',
      storyToString({ ...simplePause, schedule: { ...simplePause.schedule, ops: tooMany } }),
      '101 elements, more than 100',
    ],
    [
      'a file of somebody',
      storyToString({ ...simplePause, backend: './mine.js' }),
      'a file of its author',
    ],
    [
      'a misspelt lock',
      storyToString({ ...simplePause, backend: 'redlok' }),
      'Did you mean "redlock"?',
    ],
  ])('refuses %s, and says why', async (_, text, why) => {
    const page = await open(text);

    await expect.poll(() => page.locator('.problem').textContent()).toContain(why);
    expect(await page.locator('.problem').isVisible()).toBe(true);
  });

  test('steps, plays and goes back by keys alone, and tells each step', async () => {
    const page = await open(storyToString(simplePause));
    await expect.poll(() => page.locator('.problem').isVisible()).toBe(false);
    await page.locator('.bar button').first().focus();
    await page.keyboard.press('Home');

    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await now(page).textContent()).toMatch(/^Step 3 of \d+, 8 ms: A acquires it/);
    await page.keyboard.press('ArrowLeft');
    expect(await now(page).textContent()).toMatch(/^Step 2 of \d+, 7 ms: n1: acquire from A/);
    await page.keyboard.press('End');
    expect(await now(page).textContent()).toMatch(/^Step (\d+) of \1,/);
    await page.keyboard.press('Home');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.locator('select[aria-label=Speed]').selectOption('4');
    await page.keyboard.press('Space');
    await pauseButton(page).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();

    expect(await now(page).textContent()).toMatch(/^Step (\d+) of \1,/);
  });

  test('lets a fault be dragged onto a lane and along it, judges anew, and can undo it', async () => {
    const page = await open(storyToString(parseStoryText(textOf('redlock-pause'))));
    await expect.poll(() => page.locator('.title').textContent()).toContain('redlock');
    const before = await verdict(page).textContent();
    const handle = page.locator('.handle').first();
    const box = (await handle.boundingBox())!;

    await page.mouse.move(box.x + 8, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 8, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => verdict(page).textContent()).not.toBe(before);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => verdict(page).textContent()).toBe(before);
    const button = (await page.locator('.palette button').first().boundingBox())!;
    const lanes = (await page.locator('.stage svg.over').boundingBox())!;
    await page.mouse.move(button.x + 5, button.y + 5);
    await page.mouse.down();
    await page.mouse.move(lanes.x + 300, lanes.y + 50, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => page.getByTitle('remove this fault').count()).toBe(2);

    const link = new URL(page.url()).hash.slice(1);
    const { schedule, backend, expect: expected } = storyFromString(link);
    const played = await play(schedule, builtInSubject(backend)!, { trace: true });
    expect(schedule.faults).toHaveLength(2);
    expect(played.hash).toBe(expected.hash);
  });

  test('finds a counterexample, makes it small and plays it, without a network', async () => {
    const page = await open(storyToString(simplePause));
    await page.context().setOffline(true);
    // Also if it fails: the tests behind it use the same page.
    onTestFinished(() => page.context().setOffline(false));
    await page.locator('select').first().selectOption('set-nx-lua');

    await page.getByRole('button', { name: 'Find a counterexample' }).click();
    await page.getByText(/^Found after \d+ schedules, and made small\.$/).waitFor();

    expect(await verdict(page).textContent()).toMatch(/^✗/);
    expect(storyFromString(new URL(page.url()).hash.slice(1)).backend).toBe('set-nx-lua');
  });

  test('runs edited code in a realm of its own, and the code of a link only when told to', async () => {
    const page = await open(storyToString(simplePause));
    const panel = page.locator('details', { hasText: 'Edit the code' });
    await panel.locator('summary').first().click();
    await page.getByLabel('Start from').selectOption('redis-simple/release-without-compare');
    await page.getByText('redis-simple (edited), fault pause').waitFor();
    expect(await verdict(page).textContent()).toMatch(/^✗/);
    const link = new URL(page.url()).hash.slice(1);
    expect(storyFromString(link).code?.files['scripts.ts']).toContain('if not redis.call');
    const other = { 'scripts.ts': "throw new Error('it has run')" };
    const story = storyFromString(link);
    const long = Array.from({ length: 9_000 }, (_, n) =>
      createHash('md5').update(`${n}`).digest('hex'),
    );
    const scripts = `${story.code?.files['scripts.ts']}\n// ${long.join('').slice(0, 90_000)}`;

    await page.getByText('Share, or play what somebody shared').click();
    await page
      .getByLabel('A replay string')
      .fill(JSON.stringify({ ...story, code: { files: { 'scripts.ts': scripts } } }));
    await page.getByRole('button', { name: 'Play this' }).click();
    await page.getByRole('button', { name: 'I have read it' }).click();
    await page.getByText('The code is too long for an address').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.getByRole('button', { name: 'Copy the story' }).count()).toBe(1);

    await open(storyToString({ ...simplePause, code: { files: other } }));
    await page.getByText('Nothing of it has run yet').waitFor();
    expect(await page.getByText('it has run', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'I have read it' }).click();

    await expect.poll(() => page.locator('.problem').textContent()).toContain('it has run');
    await panel.locator('summary').first().click();
  });

  test('shows one schedule on several locks, at one time', async () => {
    const page = await open(
      `${storyToString(parseStoryText(textOf('redlock-restart-empty')))}&on=redis-simple,zk&at=100`,
    );
    await expect.poll(() => page.locator('.verdict').count()).toBe(3);

    const clocks = await page.locator('.stage .moving > .clock').allTextContents();
    const verdicts = await page.locator('.verdict').allTextContents();

    expect(verdicts.map((text) => text.slice(0, 1))).toEqual(['✗', '✓', '✓']);
    expect([...new Set(clocks.filter(Boolean))]).toEqual(['00:00:00.100']);
  });

  test.each([
    ['light', 1100],
    ['dark', 1100],
    ['light', 390],
  ] as const)('has nothing that axe calls serious, %s, %i px wide', async (colorScheme, width) => {
    const page = await fresh({ colorScheme, viewport: { width, height: 900 } });
    for (const summary of await page.locator('summary').all())
      if ((await summary.locator('..').getAttribute('open')) === null) await summary.click();
    await page.addScriptTag({ path: AXE });

    const found = await page.evaluate(
      'axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => [id, nodes[0].html]))',
    );

    expect(found).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.close();
  });

  test('jumps from event to event if motion is unwelcome', async () => {
    const page = await fresh({ reducedMotion: 'reduce' });
    await page.locator('select[aria-label=Speed]').selectOption('4');
    const events = new Set(
      (await page.locator('ol.steps span').allTextContents()).map((text) => text.trim()),
    );
    const seen = new Set<string>();
    const slider = page.locator('input[type=range]');

    await page.getByRole('button', { name: 'Play' }).click();
    while ((await pauseButton(page).count()) > 0)
      seen.add((await slider.getAttribute('aria-valuetext')) ?? '');

    expect(seen.size).toBeGreaterThan(3);
    expect([...seen].filter((time) => !events.has(time))).toEqual([]);
    await page.close();
  });

  test('says nothing on the console', () => {
    expect(messages.filter((text) => !text.includes('net::ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});
