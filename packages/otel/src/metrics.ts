import { performance } from 'node:perf_hooks';
import type { Attributes, Meter } from '@opentelemetry/api';
import type { Channels } from './channels.ts';
import { outcomeOf } from './outcome.ts';

/** Seconds. The default buckets of OpenTelemetry are milliseconds. */
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];
/** A renewal comes after a third of the lease. Half of it means that one was missed. */
const LATE_SHARE = 0.5;

interface Held {
  readonly backend: string;
  readonly leaseMs: number;
  renewedAtMs: number;
}

/** The metrics, by the names of OpenTelemetry: seconds, and units in braces for what is counted. */
export class Metrics {
  /** By contender and key. */
  readonly #held = new Map<string, Held>();
  /** The backends that have series of renewals. */
  readonly #renewing = new Set<string>();

  listen(meter: Meter, channels: Channels): void {
    this.#calls(meter, channels);
    this.#holds(meter, channels);
    this.#doubts(meter, channels);
  }

  #calls(meter: Meter, channels: Channels): void {
    const wait = meter.createHistogram('holdfast.acquire.duration', {
      unit: 's',
      description: 'Time from the call to its outcome.',
      advice: { explicitBucketBoundaries: SECONDS },
    });
    const waiting = meter.createUpDownCounter('holdfast.acquire.active', {
      unit: '{call}',
      description: 'Calls that wait for a key now.',
    });
    channels.on('call', ({ backend, observe }) => {
      const startMs = performance.now();
      waiting.add(1, attributesOf(backend));
      const end = (outcome: string): void => {
        waiting.add(-1, attributesOf(backend));
        wait.record((performance.now() - startMs) / 1_000, attributesOf(backend, { outcome }));
      };
      observe({ acquired: () => end('acquired'), failed: (error) => end(outcomeOf(error)) });
    });
  }

  #holds(meter: Meter, channels: Channels): void {
    const duration = meter.createHistogram('holdfast.hold.duration', {
      unit: 's',
      description: 'Time from the grant to the end of the lease.',
      advice: { explicitBucketBoundaries: SECONDS },
    });
    const active = meter.createUpDownCounter('holdfast.hold.active', {
      unit: '{lease}',
      description: 'Leases that are held now.',
    });
    const lost = meter.createCounter('holdfast.hold.lost', {
      unit: '{lease}',
      description: 'Leases that ended without a release, by reason.',
    });
    const renewals = meter.createCounter('holdfast.renewals', {
      unit: '{renewal}',
      description: 'Renewals that succeeded; late ones came after half of the lease.',
    });
    const end = (
      event: { readonly key: string; readonly contender: string; readonly heldMs: number },
      outcome: string,
    ): void => {
      const held = this.#held.get(idOf(event));
      // A release after a loss is an event, too.
      if (held === undefined) return;
      this.#held.delete(idOf(event));
      active.add(-1, attributesOf(held.backend));
      duration.record(event.heldMs / 1_000, attributesOf(held.backend, { outcome }));
    };
    channels.on('acquired', (event) => {
      const { backend, leaseMs } = event;
      this.#held.set(idOf(event), { backend, leaseMs, renewedAtMs: performance.now() });
      active.add(1, attributesOf(backend));
      if (this.#renewing.has(backend)) return;
      this.#renewing.add(backend);
      // Prometheus sees no increase in the first sample of a series, so it must not be the first late renewal.
      for (const late of [false, true]) renewals.add(0, attributesOf(backend, { late }));
    });
    channels.on('renewed', (event) => {
      const held = this.#held.get(idOf(event));
      if (held === undefined) return;
      const nowMs = performance.now();
      const late = nowMs - held.renewedAtMs > held.leaseMs * LATE_SHARE;
      held.renewedAtMs = nowMs;
      renewals.add(1, attributesOf(held.backend, { late }));
    });
    channels.on('lost', (event) => {
      lost.add(1, attributesOf(event.backend, { reason: event.reason }));
      end(event, 'lost');
    });
    channels.on('released', (event) => end(event, event.outcome));
    channels.on('exported', (event) => end(event, 'exported'));
  }

  #doubts(meter: Meter, channels: Channels): void {
    const doubts = meter.createCounter('holdfast.doubts', {
      unit: '{request}',
      description: 'Requests whose outcome stays unknown, by operation.',
    });
    const refused = meter.createCounter('holdfast.fence.refused', {
      unit: '{write}',
      description: 'Writes of late holders that a guard has refused.',
    });
    const doubt = (backend: string, operation: string): void =>
      doubts.add(1, attributesOf(backend, { operation }));
    channels.on('call', ({ backend, observe }) =>
      observe({
        failed: (error) => {
          if (outcomeOf(error) === 'unknown') doubt(backend, 'acquire');
        },
      }),
    );
    channels.on('released', ({ backend, outcome }) => {
      if (outcome === 'unknown') doubt(backend, 'release');
    });
    channels.on('orphan', ({ backend, outcome }) => {
      if (outcome === 'unknown') doubt(backend, 'orphan');
    });
    channels.on('refused', () => refused.add(1));
  }
}

function idOf({ key, contender }: { readonly key: string; readonly contender: string }): string {
  return `${contender} ${key}`;
}

function attributesOf(backend: string, more: Attributes = {}): Attributes {
  const named = Object.entries(more).map(([name, value]) => [`holdfast.${name}`, value]);
  return { 'holdfast.backend': backend, ...Object.fromEntries(named) };
}
