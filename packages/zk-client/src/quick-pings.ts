/** The wish for quick pings, which several may have at a time. */
export class QuickPings {
  readonly #begun: () => void;
  #requests = 0;

  constructor(begun: () => void) {
    this.#begun = begun;
  }

  get isOn(): boolean {
    return this.#requests > 0;
  }

  /** Returns its end. */
  request(): () => void {
    this.#requests++;
    this.#begun();
    let isOver = false;
    return () => {
      if (!isOver) this.#requests--;
      isOver = true;
    };
  }
}
