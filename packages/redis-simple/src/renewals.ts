import { expectReply, isZeroOrOne, UnexpectedReply } from '@holdfast/redis';
import { NodeReplyError } from '@holdfast/redis/port';
import { acknowledged } from './acknowledged.ts';
import { Gathering } from './gathering.ts';
import type { StoredHold } from './grant.ts';
import { RENEW } from './scripts.ts';
import { RENEW_ALL } from './scripts-for-all.ts';
import type { Server } from './store.ts';

/** A renewal that waits for the call that makes it. */
interface Waiting {
  readonly hold: StoredHold;
  readonly deadlineMs: number;
  readonly resolve: (isHeld: boolean | PromiseLike<boolean>) => void;
  readonly reject: (cause: unknown) => void;
}

const HELD = 1;
/** Refusals of several keys together, of which each alone may be allowed: for the slots of a cluster, and for rights by key. */
const APART = new Set(['CROSSSLOT', 'NOPERM']);

/** Renews the holds of one process on one server: those that are due at the same moment by one call, which costs less. */
export class Renewals {
  readonly #server: Server;
  readonly #gathering = new Gathering<Waiting>();
  #areApart: boolean;
  #isClosed = false;

  constructor(server: Server) {
    this.#server = server;
    const { node, waitReplicas } = server;
    // The masters of a cluster share the keys, and replicas have what a call of its own has written.
    this.#areApart = node.cluster !== undefined || waitReplicas !== undefined;
  }

  /** True: held for at least the ttl from now; false: this hold is gone. Rejects as a call of its own does. */
  renew(hold: StoredHold, ttlMs: number, deadlineMs: number): Promise<boolean> {
    if (this.#areApart) return this.#renewAlone(hold, ttlMs, deadlineMs);
    return new Promise((resolve, reject) =>
      this.#gathering.add(`${ttlMs}`, { hold, deadlineMs, resolve, reject }, (all) =>
        all.length === 1 ? this.#sendAlone(all[0], ttlMs) : void this.#send(all, ttlMs),
      ),
    );
  }

  /** From now on a reply to several leads to no further call. */
  close(): void {
    this.#isClosed = true;
  }

  async #send(all: readonly [Waiting, ...Waiting[]], ttlMs: number): Promise<void> {
    const [{ hold, deadlineMs }] = all;
    const keys = [hold.keys.channel, ...all.map((each) => each.hold.keys.lock)];
    const args = [`${ttlMs}`, ...all.map((each) => each.hold.owner)];
    try {
      const reply = await this.#server.node.script(RENEW_ALL, keys, args, { deadlineMs });
      if (!Array.isArray(reply) || reply.length !== all.length)
        throw new UnexpectedReply(RENEW_ALL.name, reply);
      // Only a reply to a call of its own says that a hold is gone: a proxy may send all keys to the server of the first one.
      for (const [at, each] of all.entries())
        if (reply[at] === HELD || this.#isClosed) each.resolve(reply[at] === HELD);
        else this.#sendAlone(each, ttlMs);
    } catch (cause) {
      const areRefused = cause instanceof NodeReplyError && APART.has(cause.code);
      this.#areApart ||= areRefused;
      for (const each of all)
        if (areRefused && !this.#isClosed) this.#sendAlone(each, ttlMs);
        else each.reject(cause);
    }
  }

  #sendAlone({ hold, deadlineMs, resolve }: Waiting, ttlMs: number): void {
    resolve(this.#renewAlone(hold, ttlMs, deadlineMs));
  }

  async #renewAlone(
    { keys: { lock, channel }, owner }: StoredHold,
    ttlMs: number,
    deadlineMs: number,
  ): Promise<boolean> {
    const options = acknowledged(this.#server, { deadlineMs }, (reply) => reply !== 0);
    const args = [owner, `${ttlMs}`];
    const reply = await this.#server.node.script(RENEW, [lock, channel], args, options);
    return expectReply(RENEW.name, reply, isZeroOrOne) === HELD;
  }
}
