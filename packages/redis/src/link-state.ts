import type { Runtime } from '@holdfast/core';
import type { Link } from './link.ts';
import { patientTimer, REPLY_TURNS } from './patient-timer.ts';
import type { Script } from './port.ts';

export interface LinkStateOptions {
  readonly runtime: Runtime;
  /** The time that the oldest unanswered command may go without any reply on this link. */
  readonly silenceMs: number;
  /** Called if no reply came for that long, or for up to twice as long. */
  readonly silent: () => void;
  /** Called at the first reply, which proves that the node serves. */
  readonly proven: () => void;
  /** Called if the node is read-only, and every command on this link has its reply. */
  readonly stale: () => void;
}

/** The state of one link while it is up: unanswered commands, silence, cached scripts, and a node that is read-only. */
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

  /** True for a demoted master: send nothing more here. */
  get isStale(): boolean {
    return this.#isStale;
  }

  get isIdle(): boolean {
    return this.#unanswered === 0;
  }

  /**
   * True if the script was sent in full on this link, and no command was refused since. A server executes the commands of
   * a connection in order, so commands behind it find the script cached.
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
    // A server that refuses a command may not have cached the script either, for example while it loads its data.
    // NOSCRIPT is the exception: the refused call is sent once more in full.
    if (code !== 'NOSCRIPT') this.#loadedScripts.clear();
    this.#count();
  }

  /** Ignores replies from now on. */
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
   * Replies come in the order of the commands. So if a command was unanswered when the watch began, and no reply has come
   * since, the oldest command has waited for all that time. No clock is read per reply.
   */
  #watch(): void {
    const { runtime, silenceMs, silent } = this.#options;
    const answers = this.#answers;
    this.#cancelWatch = patientTimer(runtime, silenceMs, REPLY_TURNS, () => {
      this.#cancelWatch = undefined;
      if (this.#unanswered === 0) return;
      if (this.#answers === answers) silent();
      else this.#watch();
    });
  }
}
