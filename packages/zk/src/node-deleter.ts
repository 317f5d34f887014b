import type { Host, Runtime } from '@holdfast/core/backend';
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
 * The outcome of a deletion. `removed`: by this request. `absent`: the node was gone before. `vanished`: gone after a
 * request whose reply was lost, so by this or another client. `ended`: deleted with its session, now or soon. `denied`:
 * this user may not delete it.
 */
export type Deletion = 'removed' | 'absent' | 'vanished' | 'ended' | 'denied';

/**
 * Deletes nodes of one session, and retries until the node or the session is gone. Otherwise a release that met a lost
 * connection would keep its key for as long as the process lives (CURATOR-678). Keeps no process alive.
 */
export class NodeDeleter {
  readonly #handle: SessionHandle;
  readonly #host: Host;
  readonly #inFlight = new Map<string, Promise<Deletion>>();

  constructor(handle: SessionHandle, host: Host) {
    this.#handle = handle;
    this.#host = host;
  }

  /** Deletes the node, however long that takes; never rejects. */
  delete(path: string): Promise<Deletion> {
    return this.#inFlight.get(path) ?? this.#start(path, (request) => request());
  }

  /** Like `delete`, but through the request window, since thousands may leave a queue at a time. */
  deleteQueued(path: string): Promise<Deletion> {
    const { window } = this.#handle;
    return (
      this.#inFlight.get(path) ??
      this.#start(path, (request) => window.enqueue(request, { lane: LANE }).reply)
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

/** The pause doubles with every failure. Half of it is random, since many clients retry at once after an outage. */
export function pauseMs(runtime: Runtime, failures: number): number {
  const ms = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures, 10));
  return (ms / 2) * (1 + runtime.random());
}
