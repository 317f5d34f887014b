import { type Channel, channel } from 'node:diagnostics_channel';
import { LOCK_EVENT_TYPES } from '@holdfast/core';
import type { CallObserver, ListenableHost, LockCall, LockingMethod } from '@holdfast/core/backend';
import { withRootTimers } from './root-context.ts';

const CALLS = channel('holdfast:call');
const EVENTS: ReadonlyMap<string, Channel> = new Map(
  LOCK_EVENT_TYPES.map((type) => [type, channel(`holdfast:${type}`)]),
);

/**
 * Publishes what happens on diagnostics channels: calls on `holdfast:call`, events on `holdfast:‹type›`, for example
 * `holdfast:lost`. While a channel has no subscriber, a check of that is all that it costs. Timers fire in no caller's
 * context.
 */
export function withTelemetry(host: ListenableHost): ListenableHost {
  return {
    ...host,
    runtime: withRootTimers(host.runtime),
    hears: (type) => host.hears?.(type) !== false || EVENTS.get(type)?.hasSubscribers === true,
    emit(event) {
      host.emit(event);
      const events = EVENTS.get(event.type);
      if (events?.hasSubscribers === true) events.publish(event);
    },
    observe: (method, backend, key) =>
      CALLS.hasSubscribers ? observersOf(method, backend, key) : undefined,
  };
}

function observersOf(
  method: LockingMethod,
  backend: string,
  key: string | readonly string[],
): CallObserver | undefined {
  const observers: CallObserver[] = [];
  const observe = (each: CallObserver): void => void observers.push(each);
  CALLS.publish({ method, backend, keys: [key].flat(), observe } satisfies LockCall);
  if (observers.length === 0) return undefined;
  return {
    acquired: (holds) => tell(observers, ({ acquired }) => acquired?.(holds)),
    failed: (error) => tell(observers, ({ failed }) => failed?.(error)),
    run: <T>(body: () => T): T =>
      observers.reduce((inner, { run }) => (run ? () => run(inner) : inner), body)(),
  };
}

function tell(observers: readonly CallObserver[], how: (observer: CallObserver) => void): void {
  for (const observer of observers) {
    try {
      how(observer);
    } catch {
      // Telemetry must not break a lock, and has no one to report to.
    }
  }
}
