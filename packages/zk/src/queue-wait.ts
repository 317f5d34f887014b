import type { Runtime } from '@holdfast/core';
import { pause } from './node-deleter.ts';
import type { WatchedStat } from './port.ts';
import type { QueuedRequest } from './request-window.ts';
import type { SessionHandle } from './session-handle.ts';

/**
 * The wait of one contender behind the node in front: the watch on that node, and whether anything happened since the
 * contender's latest attempt started.
 */
export class QueueWait {
  readonly #runtime: Runtime;
  readonly #onChange: () => void;
  #predecessor: PredecessorWatch | undefined;
  /** Something happened since the latest attempt started. */
  #hasChanged = false;
  /** The watch was set, and nothing else happened: the queue is still as the latest attempt saw it. */
  #isPositionFresh = false;
  /** The number of times in a row that a server refused to set the watch. */
  #refusals = 0;
  #wake: () => void = () => {};

  /** `onChange` is called when what is known of the queue is out of date. */
  constructor(runtime: Runtime, onChange: () => void) {
    this.#runtime = runtime;
    this.#onChange = onChange;
  }

  /** Begins an attempt. Returns true if the queue is still as the latest attempt saw it. */
  startAttempt(): boolean {
    const isFresh = this.#isPositionFresh && this.#predecessor?.isLive === true;
    this.#hasChanged = false;
    this.#isPositionFresh = false;
    return isFresh;
  }

  /** The node in front, if an attempt found one. */
  get predecessor(): PredecessorWatch | undefined {
    return this.#predecessor;
  }

  /**
   * Makes the node at `path` the one in front. Its watch is set when the contender waits. `isDecisive`: as long as the node
   * exists there is nothing to look for; otherwise the contender lists once more behind its watch.
   */
  setPredecessor(handle: SessionHandle, path: string, isDecisive: boolean): void {
    const watch = this.#predecessor;
    if (watch?.path === path && watch.handle === handle && !watch.hasChanged) return;
    watch?.cancel();
    this.#predecessor = new PredecessorWatch({ handle, path, isDecisive }, () => {
      this.#onChange();
      this.#wakeUp();
    });
  }

  /** Ends the wait and its watch. */
  end(): void {
    this.#predecessor?.cancel();
    this.#predecessor = undefined;
  }

  async changed(signal: AbortSignal): Promise<void> {
    const watch = this.#predecessor;
    if (signal.aborted || this.#hasChanged || watch === undefined || watch.hasChanged) return;
    const changed = this.#wakeOrAbort(signal);
    if (!watch.isLive) void this.#setWatch(watch);
    await changed;
  }

  /** Never rejects. */
  async #setWatch(watch: PredecessorWatch): Promise<void> {
    const { handle } = watch;
    try {
      await watch.set();
      this.#refusals = 0;
      if (watch !== this.#predecessor || watch.hasChanged) return;
      // The watch becoming live counts as a change: earlier events were missed.
      this.#isPositionFresh = watch.isDecisive;
    } catch {
      // Without a connection, try again once there is one. With one, the server cannot set watches now: try again later.
      if (handle.session.state !== 'connected') await handle.connectedOrOver();
      else await pause(this.#runtime, this.#refusals++);
      if (watch !== this.#predecessor) return;
    }
    this.#wakeUp();
  }

  #wakeOrAbort(signal: AbortSignal): Promise<void> {
    return new Promise((resume) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resume();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }

  #wakeUp(): void {
    this.#hasChanged = true;
    this.#wake();
  }
}

/** The node in front of a contender, and the watch on it. No other waiter watches it, so a release wakes one waiter. */
class PredecessorWatch {
  readonly handle: SessionHandle;
  readonly path: string;
  readonly isDecisive: boolean;
  readonly #onChange: () => void;
  readonly #stopHeartbeat: () => void;
  #setting: Promise<void> | undefined;
  #queuedWatch: QueuedRequest<WatchedStat> | undefined;
  #watched: WatchedStat | undefined;
  #isCancelled = false;
  /** The node or the session has changed: what is known of the queue is out of date. */
  hasChanged = false;

  constructor(
    { handle, path, isDecisive }: Pick<PredecessorWatch, 'handle' | 'path' | 'isDecisive'>,
    onChange: () => void,
  ) {
    this.handle = handle;
    this.path = path;
    this.isDecisive = isDecisive;
    this.#onChange = onChange;
    this.#stopHeartbeat = handle.heartbeat.keepRunning();
  }

  /** True if the watch is set, on a node that existed then. */
  get isLive(): boolean {
    return this.#watched !== undefined && !this.hasChanged;
  }

  /** Sets the watch; resolves when it is set, also if the node is gone. Rejects as the session does. */
  set(): Promise<void> {
    this.#setting ??= this.#setWatch().finally(() => {
      this.#setting = undefined;
    });
    return this.#setting;
  }

  /** Removes the watch. */
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
    const watched = await this.#queuedWatch.reply;
    this.#watched = watched;
    if (this.#isCancelled || watched.stat === undefined) watched.unwatch();
    if (watched.stat === undefined) changed();
  }
}
