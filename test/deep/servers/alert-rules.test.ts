import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALERT_RULES } from '@holdfast/otel/files';
import { afterAll, expect, test } from 'vitest';
import { dashboardPanels } from './support/prometheus/dashboard-panels.ts';

/** Prometheus' own judge of rules: Debian's package `prometheus`. */
const PROMTOOL = process.env['PROMTOOL'] ?? 'promtool';
const isMissing = spawnSync(PROMTOOL, ['--version']).error !== undefined;

/** The expressions of a panel of the dashboard, as Grafana sends them. */
function expressionsOf(title: string): readonly string[] {
  return dashboardPanels()
    .filter((panel) => panel.title === title)
    .flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
}

const [REFUSED = ''] = expressionsOf('Late writes refused');

/** A counter appears with its first event, after five minutes; another refusal comes ten minutes later. */
const SCENARIO = `rule_files: [rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - { series: 'holdfast_hold_lost_total{holdfast_backend="redis-simple",holdfast_reason="expired"}', values: '_x5 1x30' }
      - { series: holdfast_fence_refused_total, values: '_x5 1x10 2x20' }
    alert_rule_test:
      - { eval_time: 4m, alertname: HoldfastLeasesLost, exp_alerts: [] }
      - eval_time: 7m
        alertname: HoldfastLeasesLost
        exp_alerts:
          - exp_labels: { severity: warning, holdfast_backend: redis-simple, holdfast_reason: expired }
            exp_annotations: { summary: 1 leases on redis-simple were lost (expired) }
      - { eval_time: 30m, alertname: HoldfastLeasesLost, exp_alerts: [] }
      - eval_time: 7m
        alertname: HoldfastLateWritesRefused
        exp_alerts:
          - { exp_labels: { severity: warning }, exp_annotations: { summary: 1 writes of late holders were refused } }
      - { eval_time: 35m, alertname: HoldfastLateWritesRefused, exp_alerts: [] }
    promql_expr_test:
${[
  [4, ''],
  [6, '{ labels: "{}", value: 1 }'],
  [12, '{ labels: "{}", value: 0 }'],
]
  .map(
    ([at, samples]) =>
      `      - { eval_time: ${at}m, expr: '${REFUSED}', exp_samples: [${samples}] }`,
  )
  .join('\n')}
`;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(isMissing)(
  'alerts are raised at the first loss of a process, and only then, and the dashboard shows it (skipped without promtool)',
  () => {
    writeFileSync(join(folder, 'rules.yml'), ALERT_RULES);
    writeFileSync(join(folder, 'scenario.yml'), SCENARIO);

    const checked = execFileSync(PROMTOOL, ['check', 'rules', 'rules.yml'], { cwd: folder });
    expect(String(checked)).toContain('6 rules found');
    execFileSync(PROMTOOL, ['test', 'rules', 'scenario.yml'], { cwd: folder, stdio: 'pipe' });
  },
);
