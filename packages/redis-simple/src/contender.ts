import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Instant,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core/backend';
import {
  type Failure,
  failureOf,
  foreignKeyError,
  isRemainingMs,
  JITTER_MS,
  type Lifetime,
  lifetimeOf,
  SAFETY_POLL_MS,
  UnexpectedReply,
  UnresolvedAttempts,
  WakeUp,
} from '@holdfast/redis';
import {
  type CallOptions,
  NodeNotAcknowledged,
  type Reply,
  type Script,
  type Undo,
} from '@holdfast/redis/port';
import { acknowledged } from './acknowledged.ts';
import { GONE } from './adopt-script.ts';
import { PassableGrant, release, releaseScriptOf, SimpleGrant } from './grant.ts';
import { NAME } from './identity.ts';
import { type PassedHold, sendReplacing } from './passed-holds.ts';
import { ACQUIRE_PLAIN, isAcquired, NO_EXPIRY } from './plain/scripts.ts';
import { ACQUIRE, FOREIGN, isToken } from './scripts.ts';
import { reportNode, type Store, type StoredKeys } from './store.ts';

/** The interval in which waiters look at a key that other libraries release silently. */
const PLAIN_POLL_MS = 100;

/** Tries to acquire one key: each attempt under its own owner value, so that its undo can never touch the next one. */
export class SimpleContender implements Contender {
  readonly #store: Store;
  readonly #keys: StoredKeys;
  readonly #contender: string;
  readonly #ttlMs: number;
  // Most contenders win at once and need neither.
  #unresolved: UnresolvedAttempts | undefined;
  #wakeUp: WakeUp | undefined;
  #n = 0;

  constructor(store: Store, keys: StoredKeys, contender: string, ttlMs: number) {
    this.#store = store;
    this.#keys = keys;
    this.#contender = contender;
    this.#ttlMs = ttlMs;
  }

  attempt(deadlineMs: number): Promise<Attempt> {
    this.#wakeUp?.restart();
    const owner = this.#nextOwner();
    // Read before the request leaves: the server starts the ttl no earlier than this.
    const from = this.#store.host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(this.#ttlMs));
    const { lock, fence, isPlain } = this.#keys;
    const call = new SentAttempt(this.#keys, owner, callEndMs, lifetimeOf(from, this.#ttlMs));
    const options = acknowledged(this.#store, call, isPlain ? isAcquired : isToken);
    const passed = this.#store.passedHolds.take(this.#keys.key);
    if (passed?.ttlMs === this.#ttlMs) return this.#replace(passed, owner, from, call);
    // Of two ttls neither call should have the time of the other. Both leave in this order.
    passed?.releaseAlone();
    const args = [owner, `${this.#ttlMs}`];
    const names = isPlain ? [lock] : [lock, fence];
    return this.#store.node.script(this.#script, names, args, options).then(
      (reply) => this.#replied(reply, owner, from),
      (cause: unknown) => {
        if (!(cause instanceof NodeNotAcknowledged)) return this.#failure(cause, owner, from);
        return this.#takeBack(cause, owner, from, callEndMs);
      },
    );
  }

  /** Takes the key from a holder of this process who releases it now. If its hold is gone, the key is for all. */
  async #replace(
    passed: PassedHold,
    owner: string,
    from: Instant,
    call: CallOptions,
  ): Promise<Attempt> {
    let reply: Reply;
    try {
      reply = await sendReplacing(this.#store.node, this.#keys, passed, owner, call);
    } catch (cause) {
      return this.#failure(cause, owner, from);
    }
    return reply === GONE ? this.attempt(call.deadlineMs) : this.#replied(reply, owner, from);
  }

  changed(signal: AbortSignal): Promise<void> {
    // Other libraries report no release.
    if (this.#keys.isPlain) return aborted(signal);
    const { node } = this.#store;
    this.#wakeUp ??= new WakeUp([node], this.#keys.channel, {
      blocking: 1,
      onRefused: (_, cause) => reportNode(this.#store, this.#keys.key, cause),
    });
    return this.#wakeUp.changed(signal);
  }

  withdraw(): Promise<Withdrawal> {
    this.#wakeUp?.close();
    return this.#unresolved?.settle() ?? Promise.resolve({ kind: 'clean' });
  }

  get #script(): Script {
    return this.#keys.isPlain ? ACQUIRE_PLAIN : ACQUIRE;
  }

  #nextOwner(): string {
    this.#n += 1;
    return ownerValue({ contender: this.#contender, n: this.#n, label: this.#store.host.label });
  }

  #replied(reply: Reply, owner: string, from: Instant): Attempt {
    const { isPlain } = this.#keys;
    if (isPlain && isAcquired(reply)) return this.#won(owner, from);
    if (!isPlain && isToken(reply)) return this.#won(owner, from, BigInt(reply));
    if (isPlain && reply === NO_EXPIRY) return this.#taken();
    if (isRemainingMs(reply)) return this.#taken(reply);
    const foreign = isPlain ? undefined : FOREIGN.get(reply);
    if (foreign === undefined)
      return this.#failure(new UnexpectedReply(this.#script.name, reply), owner, from);
    const { key } = this.#keys;
    return { kind: 'refused', error: foreignKeyError(foreign, { backend: NAME, key }) };
  }

  #won(owner: string, from: Instant, fencingToken?: bigint): Attempt {
    this.#wakeUp?.close();
    const won = { keys: this.#keys, owner, from, ttlMs: this.#ttlMs, fencingToken };
    // What replicas have to acknowledge can be taken back; a hold that was replaced is gone.
    const isPassable = !this.#keys.isPlain && this.#store.waitReplicas === undefined;
    const Grant = isPassable ? PassableGrant : SimpleGrant;
    return { kind: 'granted', grant: new Grant(this.#store, won) };
  }

  /** Without a remaining time the holder's key never expires. */
  #taken(holderRemainingMs?: number): Attempt {
    const jitterMs = 1 + this.#store.host.runtime.random() * JITTER_MS;
    const pollMs = this.#keys.isPlain ? PLAIN_POLL_MS + jitterMs : SAFETY_POLL_MS;
    const retryAfterMs = Math.min((holderRemainingMs ?? pollMs) + jitterMs, pollMs);
    return { kind: 'busy', holderRemainingMs, retryAfterMs };
  }

  /**
   * Too few replicas have the key. It is not held, but stored at the master, so it is released before the attempt ends.
   * The write has its reply, so a release on any connection comes behind it.
   */
  async #takeBack(
    cause: NodeNotAcknowledged,
    owner: string,
    from: Instant,
    endMs: number,
  ): Promise<Attempt> {
    const hold = { keys: this.#keys, owner };
    const takenBack = await release(this.#store, hold, this.#ttlMs, endMs);
    if (takenBack.kind === 'unknown') return this.#failure(cause, owner, from);
    reportNode(this.#store, this.#keys.key, cause);
    return { kind: 'unavailable', cause };
  }

  #failure(cause: unknown, owner: string, from: Instant): Failure {
    reportNode(this.#store, this.#keys.key, cause);
    const failure = failureOf(cause, { backend: NAME, key: this.#keys.key });
    if (failure.kind === 'unknown') {
      const hold = { keys: this.#keys, owner };
      this.#unresolved ??= new UnresolvedAttempts(
        this.#store.host.runtime,
        this.#store.pendingReleases,
        this.#ttlMs,
      );
      this.#unresolved.add(() => release(this.#store, hold, this.#ttlMs), from, cause);
    }
    return failure;
  }
}

/** An attempt that is on its way, and what undoes it. One object: most attempts are answered, and need no undo. */
class SentAttempt implements CallOptions, Undo {
  readonly deadlineMs: number;
  readonly undo: Undo = this;
  readonly keepUntilMs: number;
  readonly #keys: StoredKeys;
  readonly #owner: string;

  constructor(keys: StoredKeys, owner: string, deadlineMs: number, { from, ms }: Lifetime) {
    this.deadlineMs = deadlineMs;
    this.keepUntilMs = from.monotonicMs + ms;
    this.#keys = keys;
    this.#owner = owner;
  }

  get script(): Script {
    return releaseScriptOf(this.#keys);
  }

  get args(): readonly string[] {
    const { lock, channel } = this.#keys;
    return ['EVAL', this.script.source, '2', lock, channel, this.#owner];
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
