interface SharedListener {
  readonly callbacks: Set<() => void>;
  detach(): void;
}

const listenerBySignal = new WeakMap<AbortSignal, SharedListener>();

/**
 * Calls `run` when `signal` aborts; returns its removal. The caller checks `aborted` first.
 * A thousand waiters that share a signal put one listener on it, not a thousand.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const listener = listenerBySignal.get(signal) ?? attach(signal);
  listener.callbacks.add(run);
  return () => {
    if (listener.callbacks.delete(run) && listener.callbacks.size === 0) listener.detach();
  };
}

function attach(signal: AbortSignal): SharedListener {
  const callbacks = new Set<() => void>();
  const fire = (): void => {
    listenerBySignal.delete(signal);
    // One run may remove another: what was removed is not called.
    for (const run of callbacks) run();
  };
  const detach = (): void => {
    signal.removeEventListener('abort', fire);
    listenerBySignal.delete(signal);
  };
  const listener = { callbacks, detach };
  signal.addEventListener('abort', fire, { once: true });
  listenerBySignal.set(signal, listener);
  return listener;
}
