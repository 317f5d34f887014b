import { AsyncResource } from 'node:async_hooks';
import type { Runtime } from '@holdfast/core';

/** Created while this module is loaded, when no caller's context is there yet. */
const ROOT = new AsyncResource('holdfast');

/**
 * Runs `create` outside of every caller's async context. A timer or a socket that many callers share would otherwise keep
 * the context of the first one, and with it a span that has ended, or the data of a request.
 */
export function inRootContext<T>(create: () => T): T {
  return ROOT.runInAsyncScope(create);
}

/** A runtime whose timers fire in no caller's context. */
export function withRootTimers(runtime: Runtime): Runtime {
  return {
    now: () => runtime.now(),
    elapsedMs: (since) => runtime.elapsedMs(since),
    timer: (ms, run, options) => inRootContext(() => runtime.timer(ms, run, options)),
    randomId: () => runtime.randomId(),
    random: () => runtime.random(),
    onCollected: (target, run) => runtime.onCollected(target, run),
  };
}
