import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { type Locks, openLocks } from 'holdfast';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Telemetry } from './support/telemetry.ts';

let telemetry: Telemetry;
let locks: Locks;

beforeEach(async () => {
  telemetry = new Telemetry();
  locks = await openLocks('memory:');
});
afterEach(async () => {
  telemetry[Symbol.dispose]();
  await locks.close();
});

/** Runs a request in a span of its own, and returns the id of that span. */
async function inRequest(name: string, body: () => Promise<unknown>): Promise<string> {
  const span = telemetry.tracers.getTracer('test').startSpan(name);
  await context.with(trace.setSpan(context.active(), span), body);
  span.end();
  return span.spanContext().spanId;
}

function activeSpan(): string | undefined {
  return trace.getActiveSpan()?.spanContext().spanId;
}

test('the hold of use() is active in its body, below the span of the caller', async () => {
  let inBody: string | undefined;
  const caller = await inRequest('request', () =>
    locks.use('orders/42', async () => {
      await Promise.resolve();
      inBody = activeSpan();
    }),
  );

  const [acquire, hold] = [telemetry.span('holdfast.acquire'), telemetry.span('holdfast.hold')];
  expect(inBody).toBe(hold.spanContext().spanId);
  expect(hold.parentSpanContext?.spanId).toBe(caller);
  expect(acquire.parentSpanContext?.spanId).toBe(caller);
  expect(hold.links.map((link) => link.context.spanId)).toEqual([acquire.spanContext().spanId]);
  expect(hold.attributes).toMatchObject({ 'holdfast.outcome': 'released' });
});

test('the hold of acquire() begins a trace of its own, with a link to the acquisition', async () => {
  await inRequest('request', async () => {
    const lease = await locks.acquire('orders/42');
    expect(trace.getActiveSpan()).toMatchObject({ name: 'request' });
    await lease.release();
  });

  const [acquire, hold] = [telemetry.span('holdfast.acquire'), telemetry.span('holdfast.hold')];
  expect(hold.parentSpanContext).toBeUndefined();
  expect(hold.spanContext().traceId).not.toBe(acquire.spanContext().traceId);
  expect(hold.links.map((link) => link.context.spanId)).toEqual([acquire.spanContext().spanId]);
});

test('a caller whose turn comes by the release of another one stays in its own span', async () => {
  const first = await locks.acquire('orders/42');
  let inBody: string | undefined;
  const second = inRequest('second', () =>
    locks.use('orders/42', () => {
      inBody = activeSpan();
    }),
  );
  await inRequest('first', () => first.release());
  const caller = await second;

  const hold = telemetry.span('holdfast.hold');
  expect(hold.parentSpanContext?.spanId).toBe(caller);
  expect(inBody).toBe(hold.spanContext().spanId);
});

test('a busy key is an error of acquire(), and none of tryAcquire()', async () => {
  const held = await locks.acquire('orders/42');
  await locks.acquire('orders/42', { waitMs: 0 }).catch(() => undefined);
  const failed = telemetry.span('holdfast.acquire');
  await locks.tryAcquire('orders/42');
  const tried = telemetry.span('holdfast.acquire');
  await held.release();

  expect(failed.status).toEqual({ code: SpanStatusCode.ERROR, message: 'busy' });
  expect(tried.status.code).toBe(SpanStatusCode.UNSET);
  expect(tried.attributes).toEqual({
    'holdfast.backend': 'memory',
    'holdfast.method': 'tryAcquire',
    'holdfast.outcome': 'busy',
  });
});

test('a lost lease ends its span with an error', async () => {
  const lease = await locks.acquire('orders/42', { ttlMs: 30_000 });
  await locks.forceRelease('orders/42');
  await expect(lease.extend(60_000)).rejects.toMatchObject({ code: 'LOCK_LOST' });

  expect(telemetry.span('holdfast.hold').status.code).toBe(SpanStatusCode.ERROR);
});

test('a lease on several keys has one span, which ends with them', async () => {
  await locks.use(['a', 'b'], () => undefined);

  expect(telemetry.spans.map(({ name }) => name)).toEqual(['holdfast.acquire', 'holdfast.hold']);
});

test('keys are in no attribute, unless the program names them', async () => {
  await locks.use('orders/42', () => undefined);
  const before = JSON.stringify(telemetry.spans.map(({ attributes }) => attributes));
  const samples = await telemetry.samples();
  using named = new Telemetry({ keyOf: (key) => key.replace(/\d+/, '*') });
  await locks.use('orders/42', () => undefined);

  expect(before + samples.join()).not.toContain('orders');
  expect(named.span('holdfast.hold').attributes).toMatchObject({ 'holdfast.key': ['orders/*'] });
});
