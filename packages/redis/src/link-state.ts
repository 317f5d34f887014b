import type { Runtime } from '@holdfast/core';
import type { Link } from './link.ts';
import type { Script } from './port.ts';

export interface LinkStateOptions {
  readonly runtime: Runtime;
  /** How long the oldest unanswered command may go without any reply on this link. */
  readonly silenceMs: number;
  /** Nothing was heard for that long, or for up to twice as long. */
  readonly silent: () => void;
  /** The first reply that shows that the node serves. */
  readonly proven: () => void;
  /** The node turned out to be read-only, and everything written on this link has been answered. */
  readonly stale: () => void;
}

/** What is known about one link while it is up: how much is unanswered, for how long, and whether the node is of use. */
export class LinkState {
  readonly link: Link;
  readonly #options: LinkStateOptions;
  readonly #loadedScripts = new Set<Script>();
  #unanswered = 0;
  #answers = 0;
  #isProven = false;
  #isStale = false;
  #isEnded = false;
  #cancelWatch: (() => void) | undefined;

  constructor(link: Link, options: LinkStateOptions) {
    this.link = link;
    this.#options = options;
  }

  /** A demoted master: nothing more is to be sent here. */
  get isStale(): boolean {
    return this.#isStale;
  }

  get isIdle(): boolean {
    return this.#unanswered === 0;
  }

  /**
   * Whether the script went out in full on this link, and nothing was refused since. A server executes the commands of a
   * connection in order, so what goes out behind that finds the script cached.
   */
  hasLoaded(script: Script): boolean {
    return this.#loadedScripts.has(script);
  }

  loaded(script: Script): void {
    this.#loadedScripts.add(script);
  }

  sent(): void {
    this.#unanswered++;
    if (this.#cancelWatch === undefined) this.#watch();
  }

  answered(): void {
    if (this.#isEnded) return;
    if (!this.#isProven) {
      this.#isProven = true;
      this.#options.proven();
    }
    this.#count();
  }

  refused(code: string): void {
    if (this.#isEnded) return;
    if (code === 'READONLY') this.#isStale = true;
    // A server that refuses may have refused to learn too, for example while it loads its data. NOSCRIPT alone says
    // nothing of the sort, and the call that was refused goes out once more in full.
    if (code !== 'NOSCRIPT') this.#loadedScripts.clear();
    this.#count();
  }

  /** What still comes in after this counts for nothing. */
  end(): void {
    this.#isEnded = true;
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
  }

  #count(): void {
    this.#answers++;
    this.#unanswered--;
    if (this.#isStale && this.#unanswered === 0) this.#options.stale();
  }

  /**
   * Replies come in the order of the commands. So if something was unanswered when the watch began, and no reply has
   * come since, it is the oldest command that has waited for all that time. No clock is read per reply.
   */
  #watch(): void {
    const { runtime, silenceMs, silent } = this.#options;
    const answers = this.#answers;
    this.#cancelWatch = runtime.timer(silenceMs, () => {
      this.#cancelWatch = undefined;
      if (this.#unanswered === 0) return;
      if (this.#answers === answers) silent();
      else this.#watch();
    });
  }
}
