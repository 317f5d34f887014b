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
