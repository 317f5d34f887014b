import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { play, storyFromString } from '@holdfast/harness/simulator';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editedLock } from '../../harness/test/kit/edited.ts';
import { chromiumPath, startChromium } from '../browser/chromium.ts';
import { serve } from '../browser/play-page.ts';
import { root } from '../support/source-file.ts';

const FOLDER = join(root, 'out/play-edited');
const path = chromiumPath();

/** Tries every way out of its sandbox that a worker has, and says at its second run how each of them ended. */
function escapeArtist(url: string): string {
  const ways: Readonly<Record<string, string>> = {
    fetch: `await fetch('${url}fetch')`,
    XMLHttpRequest: `await new Promise((ok, no) => { const x = new XMLHttpRequest(); x.onload = ok; x.onerror = () => no(new Error('refused')); x.open('GET', '${url}xhr'); x.send(); })`,
    WebSocket: `await new Promise((ok, no) => { const s = new WebSocket('${url.replace('http', 'ws')}ws'); s.onopen = ok; s.onerror = () => no(new Error('refused')); })`,
    EventSource: `await new Promise((ok, no) => { const s = new EventSource('${url}events'); s.onopen = ok; s.onerror = () => no(new Error('refused')); })`,
    import: `await new Function("return import('${url}module.js')")()`,
    importScripts: `importScripts('${url}script.js')`,
    Worker: `await new Promise((ok, no) => { const w = new Worker('${url}worker.js'); w.onmessage = ok; w.onerror = () => no(new Error('refused')); })`,
    FontFace: `await new FontFace('f', 'url(${url}font)').load()`,
    indexedDB: `await new Promise((ok, no) => { const r = indexedDB.open('x'); r.onsuccess = ok; r.onerror = () => no(r.error); })`,
    caches: `await caches.open('x')`,
    localStorage: `localStorage.setItem('x', '1')`,
    cookies: `await cookieStore.set('x', '1')`,
  };
  const tries = Object.entries(ways).map(
    ([name, way]) =>
      `(async () => { ${way}; })().then(() => { ended['${name}'] = 'ESCAPED'; }, (error) => { ended['${name}'] = 'refused'; });`,
  );
  return `import { recipe } from '@holdfast/harness/exercise';
const ended = {};
let opened = 0;
${tries.join('\n')}
export const deployment = { needs: 'redis' };
const open = recipe({
  expires: true,
  value: (id) => id,
  take: async ({ lock, value, ttlMs, send }) => (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK',
  give: async ({ lock, send }) => (await send('DEL', lock)) === 1,
});
export const openBackend = (options, host) => {
  // The probe and the first run open it twice each, at least.
  if (++opened > 5) throw new Error('ended: ' + JSON.stringify(ended));
  return open(options, host);
};
`;
}

async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run this code' }).click();
}

describe.skipIf(path === undefined)('edited code in Chromium', () => {
  let browser: Browser | undefined;
  let site: Awaited<ReturnType<typeof serve>> | undefined;
  /** Requests of edited code: there must be none. */
  const leaks: string[] = [];
  const outside = createServer(({ url = '' }, response) => {
    leaks.push(url);
    response.setHeader('access-control-allow-origin', '*');
    response.end('');
  });
  let outsideUrl = '';

  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, 'site/build.mjs'), FOLDER]);
    browser = await startChromium(path ?? '');
    site = await serve(FOLDER);
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
  });

  afterAll(async () => {
    await browser?.close();
    site?.close();
    outside.close();
  });

  async function editor(): Promise<Page> {
    const page = await browser?.newPage({ viewport: { width: 1100, height: 900 } });
    if (page === undefined || site === undefined) throw new Error('no Chromium was started');
    await page.goto(site.url);
    await page.locator('optgroup option').first().waitFor({ state: 'attached' });
    await page.getByText('Edit the code').click();
    await page.locator('.cm-content').waitFor();
    return page;
  }

  test('reaches no network and no storage', async () => {
    const page = await editor();
    await page.getByLabel('Start from').selectOption('own/01-setnx');
    await expect
      .poll(() => page.locator('.title').first().textContent())
      .toContain('your own code');
    await write(page, escapeArtist(outsideUrl));

    await run(page);
    await expect
      .poll(async () => {
        await run(page);
        return await page.locator('section').first().textContent();
      })
      .toContain('ended: {');

    const text = (await page.locator('section').first().textContent()) ?? '';
    const ended = /ended: (\{[^}]*\})/.exec(text)?.[1] ?? '{}';
    expect(JSON.parse(ended)).toEqual(
      Object.fromEntries(Object.keys(JSON.parse(ended)).map((name) => [name, 'refused'])),
    );
    expect(Object.keys(JSON.parse(ended))).toHaveLength(12);
    expect(leaks).toEqual([]);
    await page.close();
  });

  test.each([
    ['while it loads', 'for (;;);\n', 'after 1 s without a sign of life'],
    [
      'in microtasks',
      'const spin = async () => { for (;;) await null; };\nspin();\n',
      'after 1 s without a sign of life',
    ],
  ])('is ended if it loops without end %s', async (_, text, why) => {
    const page = await editor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText(text);
    const fromMs = performance.now();

    await run(page);
    await page.locator('.problem').waitFor({ state: 'visible' });

    expect(await page.locator('.problem').textContent()).toContain(why);
    expect(performance.now() - fromMs).toBeLessThan(20_000);
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await run(page);
    await page.getByText('This is the code as it ships.').waitFor();
    expect(await page.locator('.problem').isVisible()).toBe(false);
    await page.close();
  });

  test('that polls without end in virtual time is a lock that never ends', async () => {
    const page = await editor();
    await page.getByLabel('File').selectOption('open.ts');
    const text = await page.evaluate(`(async () => {
      const { 'redis-simple': files } = await (await fetch('edit/sources.json')).json();
      return files['open.ts'];
    })()`);
    const polling = String(text).replace(
      /(export async function openRedisSimple\([^{]*\{\n)/,
      '$1  const poll = (): void => void host.runtime.timer(0, poll);\n  poll();\n',
    );
    expect(polling).not.toBe(text);
    await write(page, polling);

    await run(page);

    await page
      .getByText(/never comes to an end/)
      .first()
      .waitFor();
    await page.close();
  });

  test('of every mistake runs, and has the trace in Node that it has in the page', async () => {
    const page = await editor();
    const starts = await page
      .locator('label:has-text("Start from") optgroup:first-of-type option')
      .evaluateAll((options) => options.map((each) => each.getAttribute('value') ?? ''));
    const seen: Record<string, string> = {};
    for (const start of starts) {
      const before = page.url();
      await page.getByLabel('Start from').selectOption(start);
      await expect.poll(() => page.url()).not.toBe(before);
      const story = storyFromString(new URL(page.url()).hash.slice(1));
      const subject = await editedLock(story.backend, story.code ?? { files: {} });
      const { hash } = await play(story.schedule, subject, { trace: true });
      expect([start, hash]).toEqual([start, story.expect.hash]);
      seen[start] = story.expect.kind;
    }

    expect(starts.length).toBeGreaterThan(15);
    expect(Object.entries(seen).filter(([, kind]) => kind === 'ok')).toEqual([]);
    await page.close();
  });

  test('of a link runs only after its reader has agreed', async () => {
    const page = await editor();
    await page.getByLabel('Start from').selectOption('redis-simple/release-without-compare');
    await page.getByText('redis-simple (edited)').first().waitFor();
    const link = page.url();
    const other = await browser!.newPage();
    const requested: string[] = [];
    other.on('request', (request) => requested.push(new URL(request.url()).pathname));

    await other.goto(link);
    await other.getByText('Nothing of it has run yet').waitFor();
    await other.locator('optgroup option').first().waitFor({ state: 'attached' });

    expect(await other.locator('pre').textContent()).toContain("if not redis.call('GET', KEYS[1])");
    expect(await other.locator('.title').first().textContent()).not.toContain('edited');
    expect(other.url()).toBe(link);
    expect(requested.filter((each) => each.includes('/edit/'))).toEqual([]);
    await other.getByRole('button', { name: 'I have read it' }).click();
    await other.getByText('redis-simple (edited)').first().waitFor();
    expect(await other.locator('.verdict').first().textContent()).toMatch(/^✗/);
    expect(other.url()).toBe(link);
    await other.close();
    await page.close();
  });
});
