/**
 * A question that many ask at a time. Whoever asks while one is under way gets the answer to the next, which leaves when
 * that is back: an answer to a question that left earlier may tell of a time before what the asker knows.
 */
export class SharedRequest<T> {
  readonly #send: (sent: () => void) => Promise<T>;
  readonly #onIdle: () => void;
  /** Its question has not left yet. */
  #next: Promise<T> | undefined;
  #inFlight: Promise<void> | undefined;

  /** `ask` calls `left` when its question leaves, which is before it settles; `onIdle` is called when nobody asks any more. */
  constructor(send: (sent: () => void) => Promise<T>, onIdle: () => void) {
    this.#send = send;
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return this.#inFlight === undefined && this.#next === undefined;
  }

  /** The answer to a question that leaves after this call. Rejects as asking does. */
  request(): Promise<T> {
    if (this.#next !== undefined) return this.#next;
    if (this.#inFlight === undefined) return this.#start();
    this.#next = this.#inFlight.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<T> {
    let hasLeft = false;
    const answer = this.#send(() => {
      hasLeft = true;
      this.#next = undefined;
    });
    if (!hasLeft) this.#next ??= answer;
    const settled = (): void => {
      this.#inFlight = undefined;
      if (this.isIdle) this.#onIdle();
    };
    this.#inFlight = answer.then(settled, settled);
    return answer;
  }
}
