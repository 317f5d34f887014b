import { onAbort } from './abort-signals.ts';
import type { Busy, WaitRequest } from './attempt-log.ts';
import type { Background } from './background.ts';
import type { DeadlineHeap } from './deadline-heap.ts';
import { timeoutError, unavailableError } from './error-messages.ts';
import { OutcomeUnknownError } from './errors.ts';
import { LocalQueue, type QueuedWaiter } from './local-queue.ts';
import type { Backend, Host } from './port.ts';
import { type ContenderGrant, WaitLoop, type WaitOutcome, type WaitOwner } from './wait-loop.ts';

/** The parts of a `Locks` that its acquisitions share. */
export interface AcquireContext {
  readonly backend: Backend;
  readonly host: Host;
  /** Keeps the process alive, since callers wait for these. */
  readonly waitDeadlines: DeadlineHeap;
  readonly queues: Map<string, LocalQueue>;
  readonly acquisitions: Set<Pick<Acquisition<unknown>, 'request' | 'cancel'>>;
  readonly background: Background;
  /** The local queues that a caller heads already when it contends for all their keys in one step. */
  readonly heads?: readonly LocalQueue[];
}

/** Makes of a grant what the caller gets. */
export interface GrantTaker<T> {
  /** `queue` is the local queue whose head won it. The caller is rejected with what it throws. */
  take(won: ContenderGrant, queue: LocalQueue | undefined): T | Promise<T>;
}

/**
 * One call of `acquire`: it waits in the local queue, then runs its wait loop. An abort rejects the caller at once;
 * the wait loop continues in the background until none of its requests is left in the store.
 */
export class Acquisition<T> implements QueuedWaiter, WaitOwner {
  readonly request: WaitRequest;
  /** The local queue that this is the head of; absent if the backend has a queue of its own. */
  queue: LocalQueue | undefined;
  readonly #context: AcquireContext;
  readonly #taker: GrantTaker<T>;
  #waitLoop: WaitLoop | undefined;
  #isContending = false;
  /** Called when a cancelled wait has withdrawn. */
  #onWithdrawn: (() => void) | undefined;
  #cancelled: 'aborted' | 'closed' | undefined;
  #resolve!: (made: T | Promise<T>) => void;
  #reject!: (error: unknown) => void;
  #cancelTimeout: (() => void) | undefined;
  #cancelAbort: (() => void) | undefined;
  #isContended = false;

  constructor(context: AcquireContext, request: WaitRequest, taker: GrantTaker<T>) {
    this.#context = context;
    this.request = request;
    this.#taker = taker;
  }

  /** Resolves to what the taker makes of the grant; rejects as it throws, with a LockError, or with the reason of `signal`. */
  run(signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      this.#resolve = resolve;
      this.#reject = reject;
      if (signal !== undefined) {
        this.#cancelAbort = onAbort(signal, () => this.cancel('aborted', signal.reason));
      }
      this.#context.acquisitions.add(this);
      this.#enter();
    });
  }

  /** Rejects the caller at once. */
  cancel(reason: 'aborted' | 'closed', error: unknown): void {
    this.#settle();
    this.#cancelled = reason;
    this.#waitLoop?.cancel(reason);
    if (this.#isContending) this.#context.background.add(this.#withdrawn());
    else this.queue?.leave(this);
    this.#reject(error);
  }

  start(): void {
    this.#cancelTimeout?.();
    // Set before the first step, in which a backend may run code that aborts or closes.
    this.#isContending = true;
    this.#contend();
  }

  #withdrawn(): Promise<void> {
    return new Promise((resolve) => {
      this.#onWithdrawn = resolve;
    });
  }

  #enter(): void {
    const { backend, queues } = this.#context;
    const { key, startedMs, waitMs, exported, mode } = this.request;
    // An adopter competes with no waiter. Behind one in the queue it would wait for a lease that only it can release.
    if (backend.capabilities.queue === 'fifo' || exported !== undefined) return this.start();
    // Holders of one process do not exclude each other, and all of them wait in the store's own line.
    if (mode !== undefined) return this.start();
    // Reading the time left ends an expired lease, and frees its queue, even if no timer could fire yet.
    queues.get(key)?.holder?.remainingMs();
    // A listener of that loss may have aborted this acquisition, or closed the locks.
    if (this.#cancelled !== undefined) return;
    const queue = queues.get(key);
    this.queue = queue ?? new LocalQueue(key, queues);
    if (queue === undefined) return this.start();
    if (waitMs === 0) return this.#rejectBusy(queue);
    queue.join(this);
    // A wait without end has a deadline too: it keeps the process alive.
    const endMs = startedMs + Math.min(waitMs, Number.MAX_SAFE_INTEGER);
    this.#cancelTimeout = this.#context.waitDeadlines.at(endMs, () => this.#timeOut(queue));
    this.#reportContended(queue.holderRemainingMs);
  }

  #contend(): void {
    const { backend, host, heads } = this.#context;
    let waitLoop: WaitLoop;
    try {
      waitLoop = new WaitLoop(backend, host, this.request, this);
    } catch (cause) {
      return this.onBroken(cause);
    }
    this.#waitLoop = waitLoop;
    if (this.queue !== undefined) this.queue.waitLoop = waitLoop;
    for (const head of heads ?? []) head.waitLoop = outcomeOf(waitLoop);
    if (this.#cancelled !== undefined) waitLoop.cancel(this.#cancelled);
    waitLoop.run();
  }

  onBusy(busy: Busy): void {
    this.#reportContended(busy.holderRemainingMs);
  }

  onBroken(cause: unknown): void {
    this.onEnded(this.#brokenContract(cause));
  }

  onEnded(outcome: WaitOutcome): void {
    this.#settle();
    if (outcome.kind !== 'won') return this.#free(outcome);
    if (this.#waitLoop?.isCancelled !== true) return this.#win(outcome);
    // Cancelled between the grant and this line.
    void this.#waitLoop.releaseLateGrant(outcome.grant).then(() => this.#free(outcome));
  }

  #win(won: ContenderGrant): void {
    try {
      this.#resolve(this.#taker.take(won, this.queue));
    } catch (error) {
      this.#reject(error);
    }
  }

  /** Lets the next waiter contend. */
  #free(outcome: WaitOutcome): void {
    this.queue?.next();
    for (const head of this.#context.heads ?? []) head.next();
    if (outcome.kind === 'failed') this.#reject(outcome.error);
    this.#onWithdrawn?.();
  }

  /** A backend that breaks its contract is doubt for one caller, and must not block the queue. */
  #brokenContract(cause: unknown): WaitOutcome {
    const { key, ttlMs: untilMs } = this.request;
    const { name } = this.#context.backend;
    const message = `outcome unknown: ${name} broke its contract, and '${key}' may have been acquired`;
    const details = { key, backend: name, cause, untilMs };
    return { kind: 'failed', error: new OutcomeUnknownError(message, details) };
  }

  /** Emits `contended`, once: another client has the key, in this process or elsewhere. */
  #reportContended(holderRemainingMs: number | undefined): void {
    if (this.#isContended) return;
    this.#isContended = true;
    const { key, contender } = this.request;
    const { backend, host } = this.#context;
    const waitedMs = this.#waitedMs();
    const type = 'contended';
    host.emit({ type, key, backend: backend.name, contender, waitedMs, holderRemainingMs });
  }

  /** For a single attempt behind a local holder or waiter: nothing is sent. */
  #rejectBusy(queue: LocalQueue): void {
    this.#settle();
    const { holderRemainingMs } = queue;
    this.#reportContended(holderRemainingMs);
    const { key } = this.request;
    this.#reject(
      timeoutError(key, this.#context.backend.name, this.#waitedMs(), holderRemainingMs),
    );
  }

  /** For a waiter that never was the head: it can report only what the head of its queue knows. */
  #timeOut(queue: LocalQueue): void {
    this.#settle();
    queue.leave(this);
    const { key } = this.request;
    const { name } = this.#context.backend;
    const outcome = queue.waitLoop?.lastOutcome ?? { kind: 'busy' };
    if (outcome.kind === 'busy')
      return this.#reject(timeoutError(key, name, this.#waitedMs(), queue.holderRemainingMs));
    const cause = outcome.kind === 'refused' ? outcome.error : outcome.cause;
    this.#reject(unavailableError(key, name, this.#waitedMs(), cause));
  }

  #waitedMs(): number {
    return this.#context.host.runtime.now().monotonicMs - this.request.startedMs;
  }

  #settle(): void {
    this.#context.acquisitions.delete(this);
    this.#cancelTimeout?.();
    this.#cancelAbort?.();
  }
}

/** What waiters may report of a wait for several keys. The time that a holder has left is that of some other key. */
function outcomeOf(waitLoop: WaitLoop): LocalQueue['waitLoop'] {
  return {
    get lastOutcome() {
      return waitLoop.lastOutcome;
    },
    holderRemainingMs: undefined,
  };
}
