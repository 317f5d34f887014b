interface Shared {
  readonly runs: Set<() => void>;
  detach(): void;
}

const sharedBySignal = new WeakMap<AbortSignal, Shared>();

/**
 * Calls `run` when `signal` aborts; returns its removal. The caller checks `aborted` first.
 * A thousand waiters that share a signal put one listener on it, not a thousand.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const shared = sharedBySignal.get(signal) ?? attach(signal);
  shared.runs.add(run);
  return () => {
    if (shared.runs.delete(run) && shared.runs.size === 0) shared.detach();
  };
}

function attach(signal: AbortSignal): Shared {
  const runs = new Set<() => void>();
  const fire = (): void => {
    sharedBySignal.delete(signal);
    // One run may remove another: what was removed is not called.
    for (const run of runs) run();
  };
  const detach = (): void => {
    signal.removeEventListener('abort', fire);
    sharedBySignal.delete(signal);
  };
  const shared = { runs, detach };
  signal.addEventListener('abort', fire, { once: true });
  sharedBySignal.set(signal, shared);
  return shared;
}
