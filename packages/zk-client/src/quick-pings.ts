/** The wish for quick pings, which several may have at a time. */
export class QuickPings {
  readonly #onStart: () => void;
  #requests = 0;

  constructor(onStart: () => void) {
    this.#onStart = onStart;
  }

  get isOn(): boolean {
    return this.#requests > 0;
  }

  /** Returns its end. */
  request(): () => void {
    this.#requests++;
    this.#onStart();
    let isOver = false;
    return () => {
      if (!isOver) this.#requests--;
      isOver = true;
    };
  }
}
