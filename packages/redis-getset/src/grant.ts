import { callDeadlineMs, type Grant, type Release, type Validity } from '@holdfast/core/backend';
import { expectReply, isZeroOrOne } from '@holdfast/redis';
import { isExpired, type StampedWrite } from './stamp.ts';
import { command, type Store, type StoredKey } from './store.ts';

/**
 * One hold, for a fixed time: the recipe has no way to renew. Its release is a plain DEL, which deletes whatever value
 * is stored; so it is sent at most once, and not again if its reply is lost.
 */
export class GetsetGrant implements Grant {
  /** The stamp. Another client may write an equal one. */
  readonly owner: string;
  readonly leaseMs: number;
  /**
   * Ends at the stamp, by our own clocks, as in the recipe. No drift is subtracted: the recipe compares the wall
   * clocks of different machines as if they were one, and no margin could make up for that.
   */
  readonly validity: Validity;
  readonly #store: Store;
  readonly #storedKey: StoredKey;
  readonly #write: StampedWrite;
  #release: Promise<Release> | undefined;

  constructor(store: Store, storedKey: StoredKey, write: StampedWrite) {
    this.owner = `${write.stamp}`;
    this.leaseMs = write.ttlMs;
    this.validity = { from: write.from, ms: write.ttlMs };
    this.#store = store;
    this.#storedKey = storedKey;
    this.#write = write;
  }

  async release(): Promise<Release> {
    if (this.#release === undefined) {
      this.#release = this.#sendRelease();
      return await this.#release;
    }
    const first = await this.#release;
    return first.kind === 'unknown' ? first : { kind: 'not-held' };
  }

  async #sendRelease(): Promise<Release> {
    const { monotonicMs, wallMs } = this.#store.host.runtime.now();
    if (this.#store.checkAge && isExpired(this.#write.stamp, wallMs)) return { kind: 'not-held' };
    const deadlineMs = monotonicMs + callDeadlineMs(this.#write.ttlMs);
    const { key, lock } = this.#storedKey;
    try {
      const reply = await command(this.#store, key, ['DEL', lock], deadlineMs);
      return { kind: expectReply('DEL', reply, isZeroOrOne) === 1 ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }
}
