import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPicture } from '@holdfast/harness/draw';
import { openLocks } from 'holdfast';
import { afterAll, expect, test } from 'vitest';
import { freePorts, RedisServer } from '../../../harness/test/kit/real-servers.ts';
import { Child } from '../../support/child.ts';
import { root } from '../../support/source-file.ts';
import { dashboardPanels, filledPanels } from './support/prometheus/dashboard-panels.ts';
import { dashboardPicture, type Mark } from './support/prometheus/dashboard-picture.ts';
import { hasPrometheus, Prometheus } from './support/prometheus/server.ts';

/** `DASHBOARD=keep` renews the picture of `docs/guides/telemetry.md`. */
const PICTURE =
  process.env['DASHBOARD'] === 'keep' ? 'docs/pictures/dashboard.svg' : 'reports/dashboard.svg';
const SERVICE = 'deep/servers/support/prometheus/service-process.ts';
const CALM_MS = 15_000;

const children: Child[] = [];
afterAll(() => {
  for (const child of children) child.kill();
});

async function startService(url: string, port: number, name: string): Promise<Child> {
  const child = await Child.start(SERVICE, { args: [url, `${port}`, name] });
  children.push(child);
  await child.waitFor('open');
  return child;
}

/** Everything that the dashboard counts happens to the services, one thing after another. */
async function disturb(server: RedisServer, services: readonly Child[]): Promise<readonly Mark[]> {
  const locks = await openLocks({ backend: 'redis-simple', url: server.url });
  const pause = async (ms: number): Promise<void> => {
    server.stop();
    await sleep(ms);
    server.resume();
  };
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['Redis is paused for 0.6 s; leases last 1.5 s', () => pause(600)],
    ['Redis is paused for 4 s', () => pause(4_000)],
    [
      'an operator releases three keys by force',
      () => Promise.all([0, 1, 2].map((n) => locks.forceRelease(`report/a/${n}`))),
    ],
    [
      'a late holder of each service writes, beside the next one',
      async () => void services.map((child) => child.send('late')),
    ],
  ];
  const marks: Mark[] = [];
  for (const [text, act] of steps) {
    await sleep(CALM_MS);
    marks.push({ atS: Date.now() / 1_000, text });
    await act();
  }
  await sleep(CALM_MS);
  await locks.close();
  return marks;
}

test.skipIf(!hasPrometheus())(
  'every expression of the dashboard has data in a real Prometheus, of services that lose leases (skipped without prometheus)',
  async () => {
    const server = await RedisServer.start();
    const ports = await freePorts(2);
    const targets = ports.map((port) => `'127.0.0.1:${port}'`);
    const prometheus = await Prometheus.start(
      `global: { scrape_interval: 1s }\nscrape_configs: [{ job_name: shop, static_configs: [{ targets: [${targets.join()}] }] }]`,
    );
    const startS = Date.now() / 1_000;
    const services = await Promise.all(
      ports.map((port, n) => startService(server.url, port, 'ab'.charAt(n))),
    );
    const marks = await disturb(server, services);
    const range = { startS, endS: Date.now() / 1_000, stepS: 1 };
    const panels = await filledPanels(prometheus, range);

    const picture = dashboardPicture(panels, marks, range);
    expect(isPicture(picture)).toBe(true);
    mkdirSync(join(root, 'reports'), { recursive: true });
    writeFileSync(join(root, PICTURE), picture);
    const filled = new Set(
      panels.flatMap(({ series }) =>
        series.flatMap(({ expr, samples }) => (samples.some(([, value]) => value > 0) ? expr : [])),
      ),
    );
    const expressions = dashboardPanels().flatMap((panel) => panel.targets.map(({ expr }) => expr));
    expect(expressions.filter((expr) => !filled.has(expr))).toEqual([]);
    expect(expressions.length).toBeGreaterThan(10);
    await prometheus.close();
    await server.close();
  },
);
