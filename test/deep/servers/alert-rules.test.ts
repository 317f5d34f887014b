import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALERT_RULES } from '@holdfast/otel/files';
import { afterAll, expect, test } from 'vitest';

/** Prometheus' own judge of rules: Debian's package `prometheus`. */
const PROMTOOL = process.env['PROMTOOL'] ?? 'promtool';
const isMissing = spawnSync(PROMTOOL, ['--version']).error !== undefined;

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
`;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(isMissing)(
  'Prometheus raises an alert at the first loss of a process, and only then (skipped without promtool)',
  () => {
    writeFileSync(join(folder, 'rules.yml'), ALERT_RULES);
    writeFileSync(join(folder, 'scenario.yml'), SCENARIO);

    const checked = execFileSync(PROMTOOL, ['check', 'rules', 'rules.yml'], { cwd: folder });
    expect(String(checked)).toContain('6 rules found');
    execFileSync(PROMTOOL, ['test', 'rules', 'scenario.yml'], { cwd: folder, stdio: 'pipe' });
  },
);
