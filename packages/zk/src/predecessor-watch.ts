import type { WatchedStat } from './port.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Turn } from './window.ts';

/** The one node in front of a contender, and the watch on it. Nobody else watches it: a release wakes one waiter. */
export class PredecessorWatch {
  readonly handle: SessionHandle;
  readonly path: string;
  readonly #onChange: () => void;
  readonly #rest: () => void;
  #setting: Promise<void> | undefined;
  #turn: Turn<WatchedStat> | undefined;
  #watched: WatchedStat | undefined;
  #isLeft = false;
  /** Something happened to it, or to the session: what was known of the queue is out of date. */
  hasChanged = false;

  constructor(handle: SessionHandle, path: string, onChange: () => void) {
    this.handle = handle;
    this.path = path;
    this.#onChange = onChange;
    this.#rest = handle.heartbeat.need();
  }

  /** The watch is set, on a node that stood there then. */
  get isLive(): boolean {
    return this.#watched !== undefined && !this.hasChanged;
  }

  /** Sets the watch, where it is not live; resolves when it is set, also on a node that has gone. Rejects as the session does. */
  set(): Promise<void> {
    this.#setting ??= this.#setWatch().finally(() => {
      this.#setting = undefined;
    });
    return this.#setting;
  }

  /** No longer of interest. */
  leave(): void {
    this.#isLeft = true;
    this.#rest();
    this.#turn?.cancel();
    this.#watched?.unwatch();
  }

  async #setWatch(): Promise<void> {
    const changed = (): void => {
      if (this.#isLeft) return;
      this.hasChanged = true;
      this.#onChange();
    };
    const { session, window } = this.handle;
    const lane = this.path.slice(0, this.path.lastIndexOf('/'));
    this.#turn = window.turn(() => session.existsWatch(this.path, changed), { lane });
    const watched = await this.#turn.answer;
    this.#watched = watched;
    if (this.#isLeft || watched.stat === undefined) watched.unwatch();
    if (watched.stat === undefined) changed();
  }
}
