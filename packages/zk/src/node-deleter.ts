import type { Host, Runtime } from '@holdfast/core';
import { messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { type Answered, SessionDoubt, SessionReplyError } from './port.ts';
import { isReplyCode } from './roots.ts';
import type { SessionHandle } from './session-handle.ts';

const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 2_000;
/** No container has this name. */
const LANE = 'removals';

type Send = (request: () => Promise<Answered>) => Promise<Answered>;

/**
 * What became of a node: `removed` by us; `absent`, before we could; `vanished`: absent after a removal whose answer was
 * lost, so by us or by somebody else; `ended`: gone, or going, with its session; `denied`: not ours to remove.
 */
export type Deletion = 'removed' | 'absent' | 'vanished' | 'ended' | 'denied';

/**
 * Removes nodes of one session, again and again until they are gone or the session is: a release that met a lost
 * connection would else keep its key for as long as the process lives (CURATOR-678). Keeps no process alive.
 */
export class NodeDeleter {
  readonly #handle: SessionHandle;
  readonly #host: Host;
  readonly #inFlight = new Map<string, Promise<Deletion>>();

  constructor(handle: SessionHandle, host: Host) {
    this.#handle = handle;
    this.#host = host;
  }

  /** Settles when it is decided, however long that takes; never rejects. */
  delete(path: string): Promise<Deletion> {
    return this.#inFlight.get(path) ?? this.#start(path, (request) => request());
  }

  /** … which is in less of a hurry, since thousands may leave a queue at a time. */
  deleteQueued(path: string): Promise<Deletion> {
    const { window } = this.#handle;
    return (
      this.#inFlight.get(path) ??
      this.#start(path, (request) => window.enqueue(request, { lane: LANE }).answer)
    );
  }

  #start(path: string, send: Send): Promise<Deletion> {
    const deleting = this.#deleteUntilGone(path, send).finally(() => this.#inFlight.delete(path));
    this.#inFlight.set(path, deleting);
    return deleting;
  }

  async #deleteUntilGone(path: string, send: Send): Promise<Deletion> {
    const { session } = this.#handle;
    let isDoubtful = false;
    for (let failures = 0; ; failures++) {
      await this.#handle.connectedOrOver();
      if (this.#handle.isOver) return 'ended';
      try {
        this.#handle.leaderReplies.add(await send(() => session.delete(path)));
        return 'removed';
      } catch (cause) {
        if (isReplyCode(cause, 'NONODE')) return isDoubtful ? 'vanished' : 'absent';
        if (isReplyCode(cause, 'NOAUTH')) return this.#denied(path, cause);
        isDoubtful ||= cause instanceof SessionDoubt;
        if (failures > 0 || cause instanceof SessionReplyError) {
          await pause(this.#host.runtime, failures);
        }
      }
    }
  }

  #denied(path: string, cause: unknown): Deletion {
    const message = `${NAME}: ${path} cannot be removed before its session ends: ${messageOf(cause)}`;
    this.#host.emit({ type: 'warning', backend: NAME, code: 'undeletable-node', message, cause });
    return 'denied';
  }
}

export function pause(runtime: Runtime, failures: number): Promise<void> {
  return new Promise((resolve) => {
    runtime.timer(pauseMs(runtime, failures), resolve);
  });
}

/** Doubles with every failure; half of it is random, since after an outage many come back at once. */
export function pauseMs(runtime: Runtime, failures: number): number {
  const ms = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures, 10));
  return (ms / 2) * (1 + runtime.random());
}
