import { expectReply, isZeroOrOne, UnexpectedReply } from '@holdfast/redis';
import { NodeReplyError, type Reply } from '@holdfast/redis/port';
import { acknowledged } from './acknowledged.ts';
import type { StoredHold } from './grant.ts';
import { RENEW } from './scripts.ts';
import { RENEW_ALL } from './scripts-for-all.ts';
import type { Store } from './store.ts';

/** A renewal that waits for the call that makes it. */
interface Waiting {
  readonly hold: StoredHold;
  readonly deadlineMs: number;
  readonly resolve: (isHeld: boolean | PromiseLike<boolean>) => void;
  readonly reject: (cause: unknown) => void;
}

/** While a script runs, all others wait: with so many holds for a fraction of a millisecond. */
const HOLDS_MAX = 128;
const HELD = 1;

/** Renews the holds of one process on one server: those that are due at the same moment by one call, which costs less. */
export class Renewals {
  readonly #store: Store;
  /** By ttl, of this moment. */
  readonly #gathered = new Map<number, Waiting[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** True: held for at least the ttl from now; false: this hold is gone. Rejects as a call of its own does. */
  renew(hold: StoredHold, ttlMs: number, deadlineMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { hold, deadlineMs, resolve, reject };
      const gathered = this.#gathered.get(ttlMs);
      if (gathered !== undefined && gathered.length < HOLDS_MAX) gathered.push(waiting);
      else this.#gather(waiting, ttlMs);
    });
  }

  #gather(first: Waiting, ttlMs: number): void {
    const all = [first];
    this.#gathered.set(ttlMs, all);
    // By then all that are due have asked.
    void Promise.resolve().then(() => {
      if (this.#gathered.get(ttlMs) === all) this.#gathered.delete(ttlMs);
      return all.length === 1 ? this.#sendAlone(first, ttlMs) : this.#send(first, all, ttlMs);
    });
  }

  async #send(first: Waiting, all: readonly Waiting[], ttlMs: number): Promise<void> {
    const { deadlineMs } = first;
    const keys = [first.hold.keys.channel, ...all.map((each) => each.hold.keys.lock)];
    const args = [`${ttlMs}`, ...all.map((each) => each.hold.owner)];
    try {
      const reply = await this.#store.node.script(RENEW_ALL, keys, args, { deadlineMs });
      if (!Array.isArray(reply) || reply.length !== all.length)
        throw new UnexpectedReply(RENEW_ALL.name, reply);
      for (const [at, each] of all.entries())
        if (reply[at] === HELD) each.resolve(true);
        // Only its own reply says that a hold is gone: a proxy may send all keys to the server of the first one.
        else this.#sendAlone(each, ttlMs);
    } catch (cause) {
      // What the server refuses for one key it may allow for the others.
      for (const each of all)
        if (cause instanceof NodeReplyError) this.#sendAlone(each, ttlMs);
        else each.reject(cause);
    }
  }

  #sendAlone({ hold, deadlineMs, resolve }: Waiting, ttlMs: number): void {
    resolve(renewAlone(this.#store, hold, ttlMs, deadlineMs));
  }
}

/** Renews one hold by a call of its own. True: held for at least the ttl from now, by as many replicas as must have it. */
export async function renewAlone(
  store: Store,
  { keys: { lock, channel }, owner }: StoredHold,
  ttlMs: number,
  deadlineMs: number,
): Promise<boolean> {
  const options = acknowledged(store, { deadlineMs }, isRenewed);
  const reply = await store.node.script(RENEW, [lock, channel], [owner, `${ttlMs}`], options);
  return expectReply(RENEW.name, reply, isZeroOrOne) === HELD;
}

function isRenewed(reply: Reply): boolean {
  return reply !== 0;
}
