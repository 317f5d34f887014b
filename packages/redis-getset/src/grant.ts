import { callDeadlineMs, type Grant, type Release, type Validity } from '@holdfast/core';
import { isZeroOrOne, UnexpectedReply } from '@holdfast/redis';
import { isExpired } from './stamp.ts';
import type { StampedWrite } from './stamped-write.ts';
import { command, type Store, type StoredKey } from './store.ts';

/**
 * One hold, for a fixed time: the recipe has no way to renew. Its release is a plain DEL, which removes whatever stands
 * under the key; so it is sent once at most, and never again when its answer is lost.
 */
export class GetsetGrant implements Grant {
  /** The stamp. Another client's may be the same. */
  readonly owner: string;
  readonly leaseMs: number;
  /**
   * Until the stamp, by our own clocks, as the recipe has it. No drift is taken off: the recipe compares the wall
   * clocks of different machines as if they were one, and no margin of ours would make up for that.
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
      if (!isZeroOrOne(reply)) throw new UnexpectedReply('DEL', reply);
      return { kind: reply === 1 ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }
}
