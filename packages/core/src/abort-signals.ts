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

/** A backend may go on listening until the signal aborts, and Node warns of more listeners than ten. */
const USES_MAX = 8;
/** Made once: without a reason of ours every abort would make an exception, with its stack, that nobody looks at. */
const WAIT_IS_OVER = new Error('the wait is over');

/**
 * The signal that a backend's `changed` is called with. Making one costs as much as an attempt, and most calls end
 * without it, so that it is lent again until it has been aborted.
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

  /** Ends whatever it was lent for; the next one is another. */
  abort(): void {
    this.#controller?.abort(WAIT_IS_OVER);
    this.#controller = undefined;
    this.#uses = 0;
  }
}
