import type { Choice, Chooser } from './choice.ts';

/**
 * Goes the way that a list of choices says. What cannot come next is passed over, and after the end of the list
 * whatever came up first comes next: so that any list can be played on any lock, and made shorter.
 */
export class Script implements Chooser {
  readonly #names: readonly string[];
  #at = 0;

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  choose(choices: readonly Choice[]): string | undefined {
    while (this.#at < this.#names.length) {
      const name = this.#names[this.#at++];
      if (choices.some((choice) => choice.name === name)) return name;
    }
    return choices[0]?.name;
  }

  happened(): void {}
}
