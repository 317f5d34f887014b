import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, type Lease, type Locks } from '@holdfast/core';
import { redisGuard } from '@holdfast/guard';
import { random } from '@holdfast/harness/simulator';
import { instrumentHoldfast } from '@holdfast/otel';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { openLocks } from 'holdfast';
import { Redis } from 'ioredis';
import { onMessage, tell } from '../../../../support/parent.ts';

/**
 * A replica of a service, with the metrics of its locks at a port. Arguments: the URL of Redis, the port, and a name. It
 * sells from hot keys, and writes reports under leases that are renewed. The message `late` makes a late holder write.
 */
const [url = '', port = '', name = ''] = process.argv.slice(2);
const CLERKS = 4;
const PRODUCTS = 3;
const REPORTS = 3;
const TTL_MS = 1_500;
const REPORT_MS = 6_000;

const exporter = new PrometheusExporter({ preventServerStart: true });
instrumentHoldfast({ meterProvider: new MeterProvider({ readers: [exporter] }) });
createServer((request, response) => exporter.getMetricsRequestHandler(request, response)).listen(
  Number(port),
  '127.0.0.1',
);

const draw = random(name);
const locks: Locks = await openLocks(
  { backend: 'redis-simple', url, ttlMs: TTL_MS },
  { label: name },
);
const redis = new Redis(url);
const guard = redisGuard(redis);

/** Goes on after all that a lock reports. */
async function forever(step: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await step();
    } catch (error) {
      if (!isLockError(error)) throw error;
      await sleep(100);
    }
  }
}

async function sell(): Promise<void> {
  const key = `stock/${Math.floor(draw.next() * PRODUCTS)}`;
  await locks.use(key, () => sleep(5 + draw.next() * 60), { waitMs: 150 });
  await sleep(draw.next() * 100);
}

async function report(n: number): Promise<void> {
  await locks.use(`report/${name}/${n}`, ({ signal }) =>
    sleep(REPORT_MS * (0.5 + draw.next()), undefined, { signal }).catch(() => undefined),
  );
}

/** A holder that does not renew, and writes when the next one has. */
async function writeLate(): Promise<void> {
  const late: Lease = await locks.acquire(`late/${name}`, { renew: false, ttlMs: 300 });
  const next = await locks.acquire(`late/${name}`);
  for (const lease of [next, late]) {
    await guard
      .set(lease, `late:{late/${name}}`, name)
      .catch((error: unknown) => void (isLockError(error) || process.exit(1)));
  }
  await next.release();
}

onMessage(() => void writeLate());
for (let n = 0; n < CLERKS; n++) void forever(sell);
for (let n = 0; n < REPORTS; n++) void forever(() => report(n));
tell('open');
