import { ALERT_RULES, grafanaDashboard } from '@holdfast/otel/files';
import { expect, test } from 'vitest';
import { Telemetry } from './support/telemetry.ts';

const DASHBOARD = JSON.stringify(grafanaDashboard());
const FILES = { 'the dashboard': DASHBOARD, 'the alert rules': ALERT_RULES };
const ATTRIBUTE = /^holdfast_(?:backend|outcome|reason|late|operation)$/;

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/holdfast_[a-z_]+/g));
}

test.each(Object.entries(FILES))(
  'every metric and attribute of %s is one that the instrumentation has',
  async (_, file) => {
    using telemetry = new Telemetry();
    const known = await telemetry.metricNames();
    const metrics = [...namesIn(file)].filter((name) => !ATTRIBUTE.test(name));
    const unknown = metrics.filter(
      (name) => !known.has(name.replace(/_(?:count|bucket|total)$/, '')),
    );

    expect(metrics.length).toBeGreaterThanOrEqual(5);
    expect(unknown).toEqual([]);
  },
);

test('the dashboard shows every metric', async () => {
  using telemetry = new Telemetry();
  const names = [...namesIn(DASHBOARD)];
  const shown = new Set(names.map((name) => name.replace(/_(?:count|bucket|total)$/, '')));

  expect([...(await telemetry.metricNames())].filter((name) => !shown.has(name))).toEqual([]);
});
