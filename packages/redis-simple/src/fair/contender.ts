import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Instant,
  type Withdrawal,
} from '@holdfast/core/backend';
import {
  type Failure,
  failureOf,
  foreignKeyError,
  isInteger,
  JITTER_MS,
  lifetimeOf,
  UnexpectedReply,
  UnresolvedAttempts,
  undoBy,
} from '@holdfast/redis';
import { NodeDoubt, NodeNotAcknowledged, type Reply } from '@holdfast/redis/port';
import { acknowledged } from '../acknowledged.ts';
import { release, SimpleGrant } from '../grant.ts';
import { NAME } from '../identity.ts';
import { FOREIGN, isToken } from '../scripts.ts';
import { type FairKeys, ownerOf, reportNode, type Store } from '../store.ts';
import { type FairLine, type LineWaiter, leaveQueue, lineNames } from './line.ts';
import { CLAIM_MS } from './lua.ts';
import type { FairQueue } from './queue.ts';
import { ACQUIRE_FAIR, RELEASE_FAIR } from './scripts.ts';

/** Without a subscription a waiter looks this often, so that it sees in time that it was chosen. */
const DEAF_POLL_MS = CLAIM_MS / 2;
/** What is left of a place is tried to be removed for this long; then the queue has expired, or forgotten it. */
const LEAVE_MS_MAX = 10_000;

/**
 * Waits for one key in the server's queue. Every attempt keeps the place that it has. Being chosen gives it nothing but the
 * right to claim: it holds only once an attempt has taken the key, from when that attempt was sent.
 */
export class FairContender implements Contender, LineWaiter {
  readonly contender: string;
  readonly place: string;
  arrival: number | undefined;
  readonly #store: Store;
  readonly #queue: FairQueue;
  readonly #keys: FairKeys;
  readonly #ttlMs: number;
  #line: FairLine | undefined;
  #unresolved: UnresolvedAttempts | undefined;
  #n = 0;
  /** True if the server may have a place of it. */
  #mayHavePlace = false;
  #hasChanged = false;
  #hasEnded = false;
  #resume: (() => void) | undefined;

  constructor(store: Store, queue: FairQueue, keys: FairKeys, contender: string, ttlMs: number) {
    this.contender = contender;
    this.place = `${queue.process}:${contender}:${store.host.label}`;
    this.#store = store;
    this.#queue = queue;
    this.#keys = keys;
    this.#ttlMs = ttlMs;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    this.#hasChanged = false;
    this.#line ??= this.#queue.find(this.#keys.key);
    this.#line?.join(this);
    this.#line?.stopWatching(this.contender);
    const wasLive = this.#line?.isLive === true;
    this.#n += 1;
    const owner = ownerOf(this.#store, this.#keys, this.contender, this.#n);
    // Read before the request leaves: validity counts from here, and never from when this waiter was chosen.
    const from = this.#store.host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(this.#ttlMs));
    const names = lineNames(this.#keys);
    const undo = undoBy(RELEASE_FAIR, names, owner, lifetimeOf(from, this.#ttlMs));
    let reply: Reply;
    try {
      const call = { deadlineMs: callEndMs, undo };
      const options = acknowledged(this.#store, call, isToken);
      const args = [owner, `${this.#ttlMs}`, this.#queue.process];
      reply = await this.#store.node.script(
        ACQUIRE_FAIR,
        [...names, this.#keys.fence],
        args,
        options,
      );
    } catch (cause) {
      if (!(cause instanceof NodeNotAcknowledged)) return this.#failure(cause, owner, from);
      return await this.#takeBack(cause, owner, from, callEndMs);
    }
    if (isToken(reply)) return this.#won(owner, from, reply);
    if (isQueueReply(reply)) return this.#waits(reply, wasLive);
    const foreign = FOREIGN.get(reply);
    if (foreign === undefined)
      return this.#failure(new UnexpectedReply(ACQUIRE_FAIR.name, reply), owner, from);
    const { key } = this.#keys;
    return { kind: 'refused', error: foreignKeyError(foreign, { backend: NAME, key }) };
  }

  changed(signal: AbortSignal): Promise<void> {
    void this.#line?.listen();
    if (this.#hasChanged || signal.aborted) return Promise.resolve();
    return new Promise((done) => {
      const resume = (): void => {
        signal.removeEventListener('abort', resume);
        this.#resume = undefined;
        done();
      };
      signal.addEventListener('abort', resume);
      this.#resume = resume;
    });
  }

  async withdraw(): Promise<Withdrawal> {
    this.#end();
    if (this.#mayHavePlace) await this.#leave();
    return (await this.#unresolved?.settle()) ?? { kind: 'clean' };
  }

  wake(): void {
    this.#hasChanged = true;
    this.#resume?.();
  }

  #won(owner: string, from: Instant, token: string): Attempt {
    this.#end();
    const won = { keys: this.#keys, owner, from, ttlMs: this.#ttlMs, fencingToken: BigInt(token) };
    return { kind: 'granted', grant: new SimpleGrant(this.#store, won) };
  }

  #waits([leftMs, ahead, arrival, isMixed]: QueueReply, wasLive: boolean): Attempt {
    this.arrival = arrival;
    this.#mayHavePlace = true;
    const line = this.#line ?? this.#queue.lineFor(this.#store, this.#keys);
    this.#line = line;
    line.join(this);
    // It became live while this attempt was under way, which may have missed a choice.
    if (line.isLive && !wasLive) this.#hasChanged = true;
    if (isMixed === 1) this.#queue.warnMixed(this.#store, NAME, this.#keys.key);
    const jitterMs = 1 + this.#store.host.runtime.random() * JITTER_MS;
    const busy = { kind: 'busy', holderRemainingMs: leftMs } as const;
    if (!line.isLive) return { ...busy, retryAfterMs: Math.min(leftMs + jitterMs, DEAF_POLL_MS) };
    // The first two in line look after it; the others sleep until they are told.
    if (ahead > 1) return busy;
    return { ...busy, retryAfterMs: Math.min(leftMs, CLAIM_MS) + jitterMs };
  }

  #end(): void {
    this.#hasEnded = true;
    this.#line?.leave(this.contender);
  }

  async #leave(): Promise<void> {
    const { host, pendingReleases } = this.#store;
    if (await this.#sendLeave()) return;
    const endMs = host.runtime.now().monotonicMs + LEAVE_MS_MAX;
    pendingReleases.add({
      release: async () =>
        (await this.#sendLeave()) ? { kind: 'released' } : { kind: 'unknown', cause: undefined },
      leftMs: () => Math.max(0, endMs - host.runtime.now().monotonicMs),
    });
  }

  #sendLeave(): Promise<boolean> {
    const reservation = `${this.contender}:00:${this.#store.host.label}`;
    return leaveQueue(this.#store, this.#keys, { place: this.place, reservation });
  }

  /** Too few replicas have the key: as for a contender without a queue. Its place went with the key. */
  async #takeBack(
    cause: NodeNotAcknowledged,
    owner: string,
    from: Instant,
    endMs: number,
  ): Promise<Attempt> {
    this.arrival = undefined;
    const hold = { keys: this.#keys, owner };
    const takenBack = await release(this.#store, hold, this.#ttlMs, endMs);
    if (takenBack.kind === 'unknown') return this.#failure(cause, owner, from);
    reportNode(this.#store, this.#keys.key, cause);
    return { kind: 'unavailable', cause };
  }

  #failure(cause: unknown, owner: string, from: Instant): Failure {
    reportNode(this.#store, this.#keys.key, cause);
    const failure = failureOf(cause, { backend: NAME, key: this.#keys.key });
    if (failure.kind !== 'unknown') return failure;
    // If it was a claim, it may have taken the place.
    this.arrival = undefined;
    this.#mayHavePlace = true;
    const hold = { keys: this.#keys, owner };
    this.#unresolved ??= new UnresolvedAttempts(
      this.#store.host.runtime,
      this.#store.pendingReleases,
      this.#ttlMs,
    );
    this.#unresolved.add(() => release(this.#store, hold, this.#ttlMs), from, cause);
    // An attempt that arrives after the end leaves a place.
    if (cause instanceof NodeDoubt)
      void cause.undone.then(() => (this.#hasEnded ? this.#sendLeave() : undefined));
    return failure;
  }
}

/** Ms for which somebody else has the key; waiters in front; number of the arrival; 1 if the holder does not queue. */
type QueueReply = readonly [number, number, number, number];

function isQueueReply(reply: Reply): reply is QueueReply {
  if (!Array.isArray(reply) || reply.length !== 4) return false;
  return reply.every((each: Reply) => isInteger(each) && each >= 0);
}
