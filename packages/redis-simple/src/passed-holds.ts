import { failureOf, UnexpectedReply } from '@holdfast/redis';
import type { CallOptions, RedisNode, Reply } from '@holdfast/redis/port';
import { ADOPT, GONE } from './adopt-script.ts';
import { NAME } from './identity.ts';
import { FOREIGN, isToken } from './scripts.ts';
import type { StoredKeys } from './store.ts';

/** A hold that the next contender for its key replaces by its own, by `ADOPT`, instead of a release and an attempt. */
export interface PassedHold {
  readonly key: string;
  readonly owner: string;
  /** That of the latest request, in ms: by it a release has its time. */
  readonly ttlMs: number;
  /** The contender replaced it, or found it gone. */
  settle(kind: 'released' | 'not-held'): void;
  /** Whether it was replaced is unknown. */
  doubt(cause: unknown): void;
  /** It was certainly not replaced. */
  releaseAlone(): void;
}

/** The holds whose next contender makes its attempt in this turn. */
export class PassedHolds {
  readonly #all = new Map<string, PassedHold>();

  /** A hold that nobody has taken when this turn ends is released alone. */
  add(hold: PassedHold): void {
    this.#all.get(hold.key)?.releaseAlone();
    this.#all.set(hold.key, hold);
    void Promise.resolve().then(() => {
      if (this.#all.get(hold.key) !== hold) return;
      this.#all.delete(hold.key);
      hold.releaseAlone();
    });
  }

  /** Returns the hold that a contender for this key is to replace. */
  take(key: string): PassedHold | undefined {
    // Most attempts follow no hold.
    if (this.#all.size === 0) return undefined;
    const hold = this.#all.get(key);
    this.#all.delete(key);
    return hold;
  }
}

/**
 * Sends the attempt that replaces a hold by one with this owner value and the same ttl, and settles the hold. Returns the
 * token, `GONE`, or the code of a foreign fence.
 * @throws what the node threw; UnexpectedReply
 */
export async function sendReplacing(
  node: RedisNode,
  { key, lock, fence, channel }: StoredKeys,
  hold: PassedHold,
  owner: string,
  call: CallOptions,
): Promise<Reply> {
  try {
    const args = [owner, `${hold.ttlMs}`, hold.owner];
    const reply = await node.script(ADOPT, [lock, fence, channel], args, call);
    if (reply === GONE) hold.settle('not-held');
    else if (FOREIGN.has(reply)) hold.releaseAlone();
    else if (isToken(reply)) hold.settle('released');
    else throw new UnexpectedReply(ADOPT.name, reply);
    return reply;
  } catch (cause) {
    if (failureOf(cause, { backend: NAME, key }).kind === 'unknown') hold.doubt(cause);
    else hold.releaseAlone();
    throw cause;
  }
}
