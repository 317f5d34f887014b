import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ALERT_RULES } from '@holdfast/otel/files';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../harness/test/kit/real-servers.ts';
import { root } from '../../support/source-file.ts';
import { hasPrometheus, Prometheus } from './support/prometheus/server.ts';

const EXAMPLE = join(root, 'examples', 'dist', '12-telemetry.js');
const PAGE = readFileSync(join(root, 'docs', 'guides', 'telemetry.md'), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'holdfast-scrape-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The configuration on the page, for this port, and scraping more often. */
function configOf(port: number): string {
  const config = /```yaml\n(.*?)```/s.exec(PAGE)?.[1];
  if (config === undefined) throw new Error('the page has no configuration');
  const rules = join(folder, 'alerts.yml');
  writeFileSync(rules, ALERT_RULES);
  const here = config
    .replace('node_modules/@holdfast/otel/dist/alerts.yml', rules)
    .replace('9464', `${port}`);
  return `global: { scrape_interval: 200ms, evaluation_interval: 200ms }\n${here}`;
}

test.skipIf(!hasPrometheus())(
  'a real Prometheus with the configuration of the page scrapes the example, and loads the alerts (skipped without prometheus)',
  async () => {
    const port = await freePort();
    const env = { ...process.env, PORT: `${port}` };
    const child = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const printed: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => printed.push(line));
    await expect.poll(() => printed).toHaveLength(3);

    const prometheus = await Prometheus.start(configOf(port));
    await expect
      .poll(() => prometheus.now('up'))
      .toEqual(
        new Map([
          [JSON.stringify({ __name__: 'up', instance: `localhost:${port}`, job: 'orders' }), 1],
        ]),
      );
    const calls = await prometheus.now(
      'sum by (holdfast_outcome) (holdfast_acquire_duration_count)',
    );
    const held = await prometheus.now('sum(holdfast_hold_active)');
    const stored = [...calls].map(
      ([labels, value]) => `${JSON.parse(labels).holdfast_outcome}: ${value}`,
    );
    expect(stored.toSorted()).toEqual(['acquired: 3', 'busy: 1']);
    expect([...held.values()]).toEqual([1]);
    expect(printed.join('\n')).toMatch(/acquired: 3\n.*busy: 1\n.*now: 1/);

    const rules = ALERT_RULES.match(/alert: /g)?.map(() => ({ health: 'ok' }));
    await expect.poll(() => prometheus.get('rules')).toMatchObject({ groups: [{ rules }] });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await prometheus.close();
  },
);
