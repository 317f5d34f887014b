import { channel } from 'node:diagnostics_channel';
import type { CallObserver } from '@holdfast/core/backend';
import { type HoldfastTelemetryOptions, instrumentHoldfast } from '@holdfast/otel';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

const HOLD = { key: 'k', contender: 'c', backend: 'memory', heldMs: 5, leaseMs: 9, waitedMs: 1 };
const MESSAGES: readonly (readonly [string, object])[] = [
  ['call', { ...HOLD, method: 'use', keys: ['k'], observe: () => undefined }],
  ['call', { ...HOLD, method: 'use', keys: ['k'], observe: acquires }],
  ['acquired', HOLD],
  ['renewed', HOLD],
  ['released', { ...HOLD, outcome: 'unknown' }],
  ['lost', { ...HOLD, reason: 'deadline' }],
  ['refused', HOLD],
];

function acquires({ acquired }: CallObserver): void {
  acquired?.([]);
}

/** OpenTelemetry in memory, with the instrumentation of the locks. */
export class Telemetry implements Disposable {
  readonly tracers: BasicTracerProvider;
  readonly #spans = new InMemorySpanExporter();
  readonly #reader = new PrometheusExporter({ preventServerStart: true });
  readonly #stop: () => void;

  constructor(options: HoldfastTelemetryOptions = {}) {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const spanProcessors = [new SimpleSpanProcessor(this.#spans)];
    const tracerProvider = new BasicTracerProvider({ spanProcessors });
    const meterProvider = new MeterProvider({ readers: [this.#reader] });
    this.tracers = tracerProvider;
    this.#stop = instrumentHoldfast({ tracerProvider, meterProvider, ...options });
  }

  /** The spans that have ended, in that order. */
  get spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  /** The latest span of this name that has ended. */
  span(name: string): ReadableSpan {
    const found = this.spans.findLast((span) => span.name === name);
    if (found === undefined) throw new Error(`no span ${name} has ended`);
    return found;
  }

  /** The samples that Prometheus would scrape, without times and buckets. */
  async samples(): Promise<readonly string[]> {
    const { resourceMetrics } = await this.#reader.collect();
    const text = new PrometheusSerializer().serialize(resourceMetrics);
    return text
      .split('\n')
      .filter((line) => line.startsWith('holdfast_') && !/_bucket|_sum/.test(line))
      .map((line) => line.replace(/,?otel_scope_[a-z_]+="[^"]*"/g, '').replaceAll('{,', '{'));
  }

  /**
   * The names of all metrics as Prometheus has them, without suffixes. Every message is published once, as `holdfast` does.
   */
  async metricNames(): Promise<ReadonlySet<string>> {
    for (const [name, message] of MESSAGES) channel(`holdfast:${name}`).publish(message);
    const samples = await this.samples();
    return new Set(samples.map((line) => line.replace(/(?:_count|_total)?\{.*/, '')));
  }

  [Symbol.dispose](): void {
    this.#stop();
    context.disable();
  }
}
