// Serves the metrics of all locks to Prometheus. A program needs the first half only: from then on every lock of this
// process is measured. The second half makes some traffic, and scrapes once, as Prometheus would.
//
// Run it: npm run example 12            or: npm run example 12 redis://localhost
// With PORT=9464 it then serves until SIGTERM, for a real Prometheus: docs/guides/telemetry.md has its configuration.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { instrumentHoldfast } from '@holdfast/otel';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { openLocks } from 'holdfast';

const exporter = new PrometheusExporter({ preventServerStart: true });
instrumentHoldfast({ meterProvider: new MeterProvider({ readers: [exporter] }) });
const server = createServer((request, response) =>
  exporter.getMetricsRequestHandler(request, response),
);
await new Promise<void>((done) => void server.listen(Number(process.env['PORT'] ?? 0), done));

const locks = await openLocks(process.argv[2] ?? 'memory:');
const lease = await locks.acquire('orders/12');
await locks.tryAcquire('orders/12');
await lease.release();
await locks.use('orders/12', () => undefined);
const held = await locks.acquire('orders/7');

const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const text = await (await fetch(`http://localhost:${port}/metrics`)).text();
const wanted =
  /^(holdfast_(?:acquire_duration_count|hold_active))\{(?:.*outcome="(\w+)")?.*\} (\d+)$/;
for (const line of text.split('\n')) {
  const [, name, outcome = 'now', value] = wanted.exec(line) ?? [];
  if (name !== undefined) console.log(`${name} ${outcome}: ${value}`);
}

if (process.env['PORT'] !== undefined) await once(process, 'SIGTERM');
await held.release();
server.close();
server.closeAllConnections();
await locks.close();
