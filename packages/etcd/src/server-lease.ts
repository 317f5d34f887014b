import { type Runtime, type Validity, validityMs } from '@holdfast/core/backend';
import { type Answered, EtcdDoubt, EtcdReplyError, type KeptAlive } from './port.ts';
import { isProof } from './proof-of-life.ts';
import type { Requests } from './requests.ts';
import type { Store } from './store.ts';

/** Keep-alives of one renewal. */
const TRIES = 2;

/** One lease at the servers, of one contender, and the time for which it is known to live. */
export class ServerLease {
  readonly id: bigint;
  /** The ttl that the servers granted, in ms. */
  readonly ttlMs: number;
  /** The ttl that they were asked for, in s. */
  readonly requestedSeconds: number;
  readonly #requests: Requests;
  #validity: Validity;

  private constructor(
    requests: Requests,
    { id, ttlMs, requestedSeconds }: Pick<ServerLease, 'id' | 'ttlMs' | 'requestedSeconds'>,
    validity: Validity,
  ) {
    this.#requests = requests;
    this.id = id;
    this.ttlMs = ttlMs;
    this.requestedSeconds = requestedSeconds;
    this.#validity = validity;
  }

  /**
   * Asks for a lease of at least `ttlMs`. A new lease needs no proof: no server knew it before the request was sent. Rejects
   * as the port does; a lease that was granted all the same has no keys, and is revoked in the background.
   */
  static async grant(store: Store, ttlMs: number, deadlineMs: number): Promise<ServerLease> {
    const { requests, revoker, host } = store;
    const id = leaseId(host.runtime);
    const requestedSeconds = secondsOf(ttlMs);
    try {
      const granted = await requests.grant({ id, ttlSeconds: requestedSeconds }, deadlineMs);
      const grantedMs = granted.ttlSeconds * 1_000;
      if (grantedMs > ttlMs) store.warnLongerTtl(ttlMs, grantedMs);
      const validity = { from: granted.sentAt, ms: validityMs(grantedMs) };
      return new ServerLease(requests, { id, ttlMs: grantedMs, requestedSeconds }, validity);
    } catch (cause) {
      if (cause instanceof EtcdDoubt) void revoker.revoke(id, requestedSeconds * 1_000);
      throw cause;
    }
  }

  /** The latest proof. */
  get validity(): Validity {
    return this.#validity;
  }

  /**
   * Renews the lease, and returns the reply to `read`: a linearizable request, sent behind the keep-alive. Rejects as the
   * port does, with `LEASE_NOT_FOUND` if a server says that it is gone, and with doubt if the leader changed meanwhile.
   */
  async renew<T extends Answered>(read: () => Promise<T>, deadlineMs: number): Promise<T> {
    for (let tries = 1; ; tries++) {
      const before = this.#requests.latest;
      const kept = await this.#requests.keepAlive(this.id, deadlineMs);
      if (kept.ttlSeconds <= 0) throw unknownLease();
      const reply = await read();
      if (before !== undefined && isProof(before, kept.header, reply.header)) {
        this.#prove(kept);
        return reply;
      }
      // Another server, or another leader: its reply is the one before the next try.
      if (tries === TRIES)
        throw new EtcdDoubt('the leader changed during the renewal of the lease');
    }
  }

  /** Another renewal that was sent later may have ended before. */
  #prove({ sentAt }: KeptAlive): void {
    if (sentAt.monotonicMs <= this.#validity.from.monotonicMs) return;
    this.#validity = { from: sentAt, ms: validityMs(this.ttlMs) };
  }
}

function unknownLease(): EtcdReplyError {
  return new EtcdReplyError('LEASE_NOT_FOUND', 'the lease was unknown when it was renewed');
}

/** etcd counts in whole seconds: a shorter ttl would end the lease before the holder expects it. */
export function secondsOf(ttlMs: number): number {
  return Math.ceil(ttlMs / 1_000);
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** An id of 63 bits, above 0: the client chooses it, so that it can revoke a lease whose grant was lost. */
function leaseId(runtime: Runtime): bigint {
  let hash = FNV_OFFSET;
  for (const character of runtime.randomId()) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.charCodeAt(0))) * FNV_PRIME);
  }
  return BigInt.asUintN(63, hash) || 1n;
}
