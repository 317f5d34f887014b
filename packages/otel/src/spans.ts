import type { CallObserver, LockCall, ObservedHold } from '@holdfast/core/backend';
import {
  type Attributes,
  type Context,
  context,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Channels } from './channels.ts';
import { outcomeOf } from './outcome.ts';

/** What differs between two holds that are not released. */
interface HoldEnd {
  readonly outcome: string;
  readonly isError: boolean;
}

/**
 * A span for each acquisition, and one for each hold. The hold of `use` is active in its body, so what the body does is
 * below it. The hold of `acquire` outlives the call, and so begins a trace of its own, with a link to the acquisition.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #keyOf: ((key: string) => string | undefined) | undefined;
  /** Spans of holds by key and contender. */
  readonly #holds = new Map<string, Span>();

  constructor(tracer: Tracer, keyOf: ((key: string) => string | undefined) | undefined) {
    this.#tracer = tracer;
    this.#keyOf = keyOf;
  }

  listen(channels: Channels): void {
    channels.on('call', (call) => call.observe(this.#observe(call)));
    channels.on('released', (event) =>
      this.#end(event, { outcome: event.outcome, isError: event.outcome !== 'released' }),
    );
    channels.on('lost', (event) => this.#end(event, { outcome: event.reason, isError: true }));
    channels.on('exported', (event) => this.#end(event, { outcome: 'exported', isError: false }));
  }

  #observe(call: LockCall): CallObserver {
    const attributes = this.#attributesOf(call);
    const parent = context.active();
    const acquire = this.#tracer.startSpan('holdfast.acquire', { attributes }, parent);
    let hold: Span | undefined;
    return {
      acquired: (holds) => {
        acquire.setAttribute('holdfast.outcome', 'acquired').end();
        hold = this.#begin(call, parent, {
          attributes,
          links: [{ context: acquire.spanContext() }],
        });
        for (const each of holds) this.#holds.set(idOf(each), hold);
      },
      failed: (error) => fail(acquire, error, call),
      run: (body) => {
        const active = hold === undefined ? parent : trace.setSpan(parent, hold);
        return context.with(active, body);
      },
    };
  }

  #begin({ method }: LockCall, parent: Context, options: SpanOptions): Span {
    const hasBody = method === 'use' || method === 'tryUse' || method === 'elect';
    return this.#tracer.startSpan('holdfast.hold', { ...options, root: !hasBody }, parent);
  }

  #end(
    event: { readonly key: string; readonly contender: string },
    { outcome, isError }: HoldEnd,
  ): void {
    const span = this.#holds.get(idOf(event));
    if (span === undefined) return;
    this.#holds.delete(idOf(event));
    // A lease on several keys has one span, which ends with the first of them.
    span.setAttribute('holdfast.outcome', outcome);
    if (isError) span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    span.end();
  }

  #attributesOf({ method, backend, keys }: LockCall): Attributes {
    const named = keys.flatMap((key) => this.#keyOf?.(key) ?? []);
    return {
      'holdfast.backend': backend,
      'holdfast.method': method,
      ...(named.length === 0 ? {} : { 'holdfast.key': named }),
    };
  }
}

function idOf({ key, contender }: Pick<ObservedHold, 'key' | 'contender'>): string {
  return `${contender} ${key}`;
}

/** A key that is busy is no error of `tryAcquire` and `tryUse`. */
function fail(span: Span, error: unknown, { method }: LockCall): void {
  const outcome = outcomeOf(error);
  span.setAttribute('holdfast.outcome', outcome);
  if (outcome !== 'busy' || !method.startsWith('try')) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    if (error instanceof Error) span.recordException(error);
  }
  span.end();
}
