/** The wish for quick pings, which several may have at a time. */
export class Hurry {
  readonly #begun: () => void;
  #wishes = 0;

  constructor(begun: () => void) {
    this.#begun = begun;
  }

  get isOn(): boolean {
    return this.#wishes > 0;
  }

  /** Returns its end. */
  ask(): () => void {
    this.#wishes++;
    this.#begun();
    let isOver = false;
    return () => {
      if (!isOver) this.#wishes--;
      isOver = true;
    };
  }
}
