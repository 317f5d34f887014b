import type { Host, Runtime } from '@holdfast/core';
import { messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { type Answered, SessionDoubt, SessionReplyError } from './port.ts';
import type { Presence } from './presence.ts';
import { isReply } from './roots.ts';

const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 2_000;
/** No container has this name. */
const LANE = 'removals';

type Send = (request: () => Promise<Answered>) => Promise<Answered>;

/**
 * What became of a node: `removed` by us; `absent`, before we could; `vanished`: absent after a removal whose answer was
 * lost, so by us or by somebody else; `ended`: gone, or going, with its session; `denied`: not ours to remove.
 */
export type Removal = 'removed' | 'absent' | 'vanished' | 'ended' | 'denied';

/**
 * Removes nodes of one session, again and again until they are gone or the session is: a release that met a lost
 * connection would else keep its key for as long as the process lives (CURATOR-678). Keeps no process alive.
 */
export class Removals {
  readonly #presence: Presence;
  readonly #host: Host;
  readonly #going = new Map<string, Promise<Removal>>();

  constructor(presence: Presence, host: Host) {
    this.#presence = presence;
    this.#host = host;
  }

  /** Settles when it is decided, however long that takes; never rejects. */
  remove(path: string): Promise<Removal> {
    return this.#going.get(path) ?? this.#start(path, (request) => request());
  }

  /** … which is in less of a hurry, since thousands may leave a queue at a time. */
  removeInTurn(path: string): Promise<Removal> {
    const { window } = this.#presence;
    return (
      this.#going.get(path) ??
      this.#start(path, (request) => window.turn(request, { lane: LANE }).answer)
    );
  }

  #start(path: string, send: Send): Promise<Removal> {
    const going = this.#untilGone(path, send).finally(() => this.#going.delete(path));
    this.#going.set(path, going);
    return going;
  }

  async #untilGone(path: string, send: Send): Promise<Removal> {
    const { session } = this.#presence;
    let isDoubtful = false;
    for (let failures = 0; ; failures++) {
      await this.#presence.settled();
      if (this.#presence.isOver) return 'ended';
      try {
        this.#presence.answers.add(await send(() => session.delete(path)));
        return 'removed';
      } catch (cause) {
        if (isReply(cause, 'NONODE')) return isDoubtful ? 'vanished' : 'absent';
        if (isReply(cause, 'NOAUTH')) return this.#denied(path, cause);
        isDoubtful ||= cause instanceof SessionDoubt;
        if (failures > 0 || cause instanceof SessionReplyError) {
          await pause(this.#host.runtime, failures);
        }
      }
    }
  }

  #denied(path: string, cause: unknown): Removal {
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
