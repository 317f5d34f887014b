import type { WatchedStat } from './port.ts';
import type { QueuedRequest } from './request-window.ts';
import type { SessionHandle } from './session-handle.ts';

/** The one node in front of a contender, and the watch on it. Nobody else watches it: a release wakes one waiter. */
export class PredecessorWatch {
  readonly handle: SessionHandle;
  readonly path: string;
  readonly #onChange: () => void;
  readonly #stopHeartbeat: () => void;
  #setting: Promise<void> | undefined;
  #queuedWatch: QueuedRequest<WatchedStat> | undefined;
  #watched: WatchedStat | undefined;
  #isCancelled = false;
  /** Something happened to it, or to the session: what was known of the queue is out of date. */
  hasChanged = false;

  constructor(handle: SessionHandle, path: string, onChange: () => void) {
    this.handle = handle;
    this.path = path;
    this.#onChange = onChange;
    this.#stopHeartbeat = handle.heartbeat.keepRunning();
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
  cancel(): void {
    this.#isCancelled = true;
    this.#stopHeartbeat();
    this.#queuedWatch?.cancel();
    this.#watched?.unwatch();
  }

  async #setWatch(): Promise<void> {
    const changed = (): void => {
      if (this.#isCancelled) return;
      this.hasChanged = true;
      this.#onChange();
    };
    const { session, window } = this.handle;
    const lane = this.path.slice(0, this.path.lastIndexOf('/'));
    this.#queuedWatch = window.enqueue(() => session.existsWatch(this.path, changed), { lane });
    const watched = await this.#queuedWatch.answer;
    this.#watched = watched;
    if (this.#isCancelled || watched.stat === undefined) watched.unwatch();
    if (watched.stat === undefined) changed();
  }
}
