import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api';
import { Channels } from './channels.ts';
import { Metrics } from './metrics.ts';
import { Spans } from './spans.ts';

/** Options of {@link instrumentHoldfast}. */
export interface HoldfastTelemetryOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * The attribute `holdfast.key` of spans: return a name from a small set, such as `orders/*` for `orders/42`, or undefined
   * for none. Default: no keys, because there may be millions. Metrics never have keys.
   */
  readonly keyOf?: ((key: string) => string | undefined) | undefined;
}

const NAME = '@holdfast/otel';

/**
 * Makes spans and metrics of all locks of this process that `openLocks` opens, before or after this call. Returns what ends
 * that.
 * @example
 * ```ts
 * const stop = instrumentHoldfast({ keyOf: (name) => name.replace(/\d+/, '*') });
 * await locks.use('orders/42', () => charge(order)); // below a span `holdfast.hold`
 * stop();
 * ```
 */
export function instrumentHoldfast(options: HoldfastTelemetryOptions = {}): () => void {
  const { tracerProvider = trace, meterProvider = metrics, keyOf } = options;
  const channels = new Channels();
  new Spans(tracerProvider.getTracer(NAME), keyOf).listen(channels);
  new Metrics().listen(meterProvider.getMeter(NAME), channels);
  return () => channels.close();
}
