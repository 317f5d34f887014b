interface SharedListener {
  readonly callbacks: Set<() => void>;
  detach(): void;
}

const listenerBySignal = new WeakMap<AbortSignal, SharedListener>();

/**
 * Calls `run` when `signal` aborts; returns its removal. The caller checks `aborted` first.
 * A thousand waiters that share a signal add one listener to it, not a thousand.
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
    // One callback may remove another: a removed callback is not called.
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

/** A backend may keep its listener until the signal aborts, and Node warns about more than ten listeners. */
const USES_MAX = 8;
/** Created once: without a given reason, every abort would create an exception, with a stack that is never read. */
const WAIT_IS_OVER = new Error('the wait is over');

/**
 * The signal that is passed to a backend's `changed`. A new signal costs as much as an attempt, and most calls end
 * without an abort. So one signal is lent several times, until it has been aborted.
 */
export class ReusableAbortSignal {
  #controller: AbortController | undefined;
  #uses = 0;

  lend(): AbortSignal {
    if (this.#uses === USES_MAX) this.abort();
    this.#controller ??= new AbortController();
    this.#uses++;
    return this.#controller.signal;
  }

  /** Ends the calls that have the signal; the next call gets a new one. */
  abort(): void {
    this.#controller?.abort(WAIT_IS_OVER);
    this.#controller = undefined;
    this.#uses = 0;
  }
}
