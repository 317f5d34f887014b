import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, startChromium } from '../browser/chromium.ts';
import { serve } from '../browser/play-page.ts';
import { root } from '../support/source-file.ts';

const FOLDER = join(root, 'out/play-timing');
const REPORT = join(root, 'out/reports/play-timing.json');
const path = chromiumPath();
const CPU_RATE = 4;
/** A good mobile network: 9 Mbit/s, 60 ms. */
const NETWORK = {
  offline: false,
  downloadThroughput: 1_125_000,
  uploadThroughput: 187_500,
  latency: 60,
};
/** Other work on the machine only adds to a time, so the least of several is nearest to that of the page. */
const RUNS = 3;
const PLAYED_MS = 4_000;
const FRAME_SLACK_US = 1_000;
const CATEGORIES = ['toplevel', 'devtools.timeline'];
const FIRST_STEP_MS_MAX = 2_000;
const LONG_TASK_MS = 50;
/** With what tracing itself costs. Half of a frame at 60 a second. */
const FRAME_MS_MAX = 8;

/** Runs before the page's own code: notes when the first step is on the screen. */
const PROBE = `
  const look = () => {
    const text = document.querySelector('#play')?.shadowRoot?.querySelector('.now')?.textContent ?? '';
    if (text.startsWith('Step ')) globalThis.firstStepMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** CPU time of the thread, in µs: other work on the machine does not count. */
  readonly tdur?: number;
}

interface Playing {
  /** The work of the main thread in each frame, in ms. */
  readonly frames: readonly number[];
  readonly longestTaskMs: number;
}

interface Figures {
  readonly firstStepMs: number;
  readonly frames: number;
  readonly frameMsMedian: number;
  readonly frameMs95: number;
  readonly longestTaskMs: number;
}

/** The main thread's work from frame to frame, as a machine with so much less CPU would do it. */
function playingIn(trace: string): Playing {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const first = traceEvents.find(({ name }) => name === 'FireAnimationFrame');
  const own = traceEvents.filter(({ pid, tid }) => pid === first?.pid && tid === first.tid);
  const begins = own.filter(({ name }) => name === 'FireAnimationFrame').map(({ ts }) => ts);
  const tasks = own
    .filter(({ name, ph }) => name === 'ThreadControllerImpl::RunTask' && ph === 'X')
    .map(({ ts, tdur = 0 }) => ({ ts, ms: (CPU_RATE * tdur) / 1_000 }));
  const frames = begins.map(() => 0);
  for (const { ts, ms } of tasks) {
    // A task that contains the frame's callback begins before it.
    const nth = begins.findLastIndex((begin) => begin <= ts + FRAME_SLACK_US);
    if (nth >= 0) frames[nth] = (frames[nth] ?? 0) + ms;
  }
  return { frames, longestTaskMs: Math.max(...tasks.map(({ ms }) => ms)) };
}

describe.skipIf(path === undefined)(`at ${CPU_RATE} × less CPU, the playground`, () => {
  let browser: Browser | undefined;
  let server: Awaited<ReturnType<typeof serve>> | undefined;

  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, 'site/build.mjs'), FOLDER]);
    browser = await startChromium(path ?? '');
    server = await serve(FOLDER, '/', { isCompressed: true });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  async function page(): Promise<Page> {
    const context = await browser!.newContext({ viewport: { width: 1100, height: 900 } });
    return await context.newPage();
  }

  async function firstStepMs(): Promise<number> {
    const tab = await page();
    const devtools = await tab.context().newCDPSession(tab);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', NETWORK);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE });
    await tab.addInitScript(PROBE);
    await tab.goto(server!.url);
    await tab.locator('.now', { hasText: 'Step 1' }).waitFor();
    const ms = await tab.evaluate<number>('firstStepMs');
    await tab.context().close();
    return Math.round(ms);
  }

  async function playing(): Promise<Playing> {
    const tab = await page();
    await tab.goto(server!.url);
    await tab.locator('optgroup option').first().waitFor({ state: 'attached' });
    await tab.locator('select').first().selectOption('redlock');
    await tab.locator('select').nth(2).selectOption('5');
    // Of this film alone: a film that comes later is laid out while the one before plays.
    for (const lane of [/^E$/, /^n5$/])
      await tab.locator('.stage svg > text.name', { hasText: lane }).first().waitFor();
    await browser!.startTracing(tab, { categories: CATEGORIES });
    await tab.getByRole('button', { name: 'Play', exact: true }).click();
    await tab.waitForTimeout(PLAYED_MS);
    const trace = await browser!.stopTracing();
    await tab.context().close();
    return playingIn(trace.toString('utf8'));
  }

  test('shows its first step soon, and plays 5 clients on 5 servers without a stutter', async () => {
    const figures: Figures[] = [];
    for (let run = 0; run < RUNS; run++) {
      const { frames, longestTaskMs } = await playing();
      figures.push({
        firstStepMs: await firstStepMs(),
        frames: frames.length,
        frameMsMedian: quantile(frames, 0.5),
        frameMs95: quantile(frames, 0.95),
        longestTaskMs: Math.round(longestTaskMs),
      });
    }

    const machine = { cores: availableParallelism(), load: loadavg()[0] };
    mkdirSync(join(REPORT, '..'), { recursive: true });
    writeFileSync(REPORT, `${JSON.stringify({ CPU_RATE, NETWORK, machine, figures }, null, 2)}\n`);
    console.log(JSON.stringify({ machine, figures }));
    const least = (of: (each: Figures) => number): number => Math.min(...figures.map(of));
    expect(least(({ frames }) => frames)).toBeGreaterThan(30);
    expect(least((each) => each.frameMs95)).toBeLessThanOrEqual(FRAME_MS_MAX);
    expect(least((each) => each.longestTaskMs)).toBeLessThanOrEqual(LONG_TASK_MS);
    expect(least((each) => each.firstStepMs)).toBeLessThan(FIRST_STEP_MS_MAX);
  });
});

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10;
}
