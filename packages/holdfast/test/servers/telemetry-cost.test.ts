import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../../../../test/support/run.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
/** Without a collection while it measures: the young generation is larger than what the pairs allocate. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=128', '--min-semi-space-size=128'];

/** Prints how many bytes a pair of acquire and release allocates: without telemetry, unheard, and heard. */
const MEASURE = `
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createHost, createLocks, openMemory } from '@holdfast/core/backend';
import { withTelemetry } from './dist/telemetry/channels.js';
import { withRootTimers } from './dist/telemetry/root-context.js';

const PAIRS = 1_000;
async function pairs(locks, count) {
  for (let n = 0; n < count; n++) await (await locks.acquire('orders/42')).release();
}
async function bytesPerPair(host) {
  const locks = createLocks(await openMemory({}, host), host);
  await pairs(locks, 2 * PAIRS);
  const measured = [];
  for (let round = 0; round < 3; round++) {
    gc();
    const before = process.memoryUsage().heapUsed;
    await pairs(locks, PAIRS);
    measured.push((process.memoryUsage().heapUsed - before) / PAIRS);
  }
  await locks.close();
  return measured.sort((a, b) => a - b)[1];
}
const EVENT = { type: 'released', key: 'k', contender: 'c', backend: 'b', outcome: 'released' };
/** What core calls in a pair: once for the call, once for each of two events. */
function bytesPerReport(host) {
  const reports = (count) => {
    for (let n = 0; n < count; n++) {
      host.observe('acquire', 'memory', 'k');
      host.emit(EVENT);
      host.emit(EVENT);
    }
  };
  reports(100_000);
  gc();
  const before = process.memoryUsage().heapUsed;
  reports(100_000);
  return (process.memoryUsage().heapUsed - before) / 100_000;
}
const host = createHost();
const plain = { ...host, runtime: withRootTimers(host.runtime) };
await bytesPerPair(plain);
await bytesPerPair(withTelemetry(host));
const without = await bytesPerPair(plain);
const unheard = await bytesPerPair(withTelemetry(host));
// The engine may compile something meanwhile; what a report allocates, it allocates each time.
const reportUnheard = Math.min(...[1, 2, 3].map(() => bytesPerReport(withTelemetry(host))));
const hear = (call) => call.observe({ acquired() {}, failed() {} });
subscribe('holdfast:call', hear);
const heard = await bytesPerPair(withTelemetry(host));
const reportHeard = bytesPerReport(withTelemetry(host));
unsubscribe('holdfast:call', hear);
const bare = await bytesPerPair(host);
console.log(JSON.stringify({ bare, without, unheard, heard, reportUnheard, reportHeard }));
`;

test('the reports of a pair allocate nothing while nobody listens', async () => {
  const { output } = await run('node', [...FLAGS, '--input-type=module', '-e', MEASURE], {
    cwd: PACKAGE,
  });
  const { bare, without, unheard, heard, reportUnheard, reportHeard } = JSON.parse(output);
  console.log(
    `bytes per pair: ${Math.round(bare)} in core, ${Math.round(without)} with timers in the root context, ${Math.round(unheard)} with telemetry unheard, ${Math.round(heard)} heard`,
  );

  // Less than any object: what the engine itself allocates in a hundred thousand of them.
  expect(reportUnheard).toBeLessThan(1);
  // The measure can tell.
  expect(reportHeard).toBeGreaterThan(100);
});
