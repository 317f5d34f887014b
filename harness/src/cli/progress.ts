import type { Out } from 'holdfast/internal';

/** Tells what goes on, on stderr: on a terminal one line that changes, else a plain line for each step. */
export class Progress {
  readonly #out: Out;
  #shown = false;

  constructor(out: Out) {
    this.#out = out;
  }

  step(text: string): void {
    if (this.#out.isTTY !== true) {
      this.#out.write(`${text}\n`);
      return;
    }
    this.clear();
    this.#out.write(`… ${text}`);
    this.#shown = true;
  }

  /** Makes room for lines that stay. */
  clear(): void {
    if (this.#shown) this.#out.write('\r\u001B[2K');
    this.#shown = false;
  }
}
