import type { Instant } from '@holdfast/core';
import type { Answered, ZooKeeperSession } from './port.ts';
import { latest, reportedMs } from './validity.ts';

/** What is asked of a session. */
type ObservedSession = Pick<ZooKeeperSession, 'timeoutMs' | 'validated' | 'answeredBefore'>;

/**
 * What the leader must have heard of a session, by the answers to W: requests that the leader answers, writes and syncs.
 * A request p that was answered T/4 before W left is one of which the follower told the leader before it passed on
 * anything that left after W's answer. Either the leader ran in between, pinged, and was told; or it stood still until
 * after W had left: then its ping was overdue when it went on, and out before W's answer was back. What the follower
 * sends arrives in order: a later write that came through says that the report did, too.
 */
export class LeaderAnswers {
  readonly #session: ObservedSession;
  #latest: Instant | undefined;
  #reported: Instant | undefined;

  constructor(session: ObservedSession) {
    this.#session = session;
  }

  /** When the latest request left that the leader is known to have answered. */
  get latest(): Instant | undefined {
    return this.#latest;
  }

  /** Takes note of an answer to a write or a sync. */
  add({ sentAt }: Answered): void {
    this.#latest = latest(this.#latest, sentAt);
    const { timeoutMs } = this.#session;
    const reported = this.#session.answeredBefore(reportedMs(sentAt, timeoutMs));
    if (reported !== undefined) this.#reported = latest(this.#reported, reported);
  }

  /**
   * p, for a proof that leaves now. The creation of the session, and its validation on a new connection, count at once,
   * since the leader itself does them; what an earlier connection carried lies before that.
   */
  touched(): Instant {
    return latest(this.#reported, this.#session.validated);
  }
}
