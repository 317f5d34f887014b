import { onAbort } from './abort.ts';
import type { Alarms } from './alarms.ts';
import type { Background } from './background.ts';
import { LockError } from './errors.ts';
import { Front, timeoutError, unavailableError, type WaitRequest, type Won } from './front.ts';
import { Line, type Waiting } from './lines.ts';
import type { Backend, Host } from './port.ts';

/** What an acquisition needs of the `Locks` it belongs to. */
export interface AcquireContext {
  readonly backend: Backend;
  readonly host: Host;
  /** Keeps the process alive: somebody waits for these. */
  readonly waits: Alarms;
  readonly lines: Map<string, Line>;
  readonly acquisitions: Set<Acquisition>;
  readonly background: Background;
}

/**
 * One call of `acquire`: its place in the local line, then its front. The caller is told as soon as it is aborted;
 * the front goes on in the background until nothing of it is left in the store.
 */
export class Acquisition implements Waiting {
  readonly request: WaitRequest;
  /** The line whose head this became; absent where the backend has a queue of its own. */
  line: Line | undefined;
  readonly #context: AcquireContext;
  #front: Front | undefined;
  #contending: Promise<void> | undefined;
  #resolve!: (won: Won) => void;
  #reject!: (error: unknown) => void;
  #cancelAlarm: () => void = () => {};
  #cancelAbort: () => void = () => {};

  constructor(context: AcquireContext, request: WaitRequest) {
    this.#context = context;
    this.request = request;
  }

  /** Rejects with a LockError, or with the reason of `signal`. */
  run(signal: AbortSignal | undefined): Promise<Won> {
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

  /** Ends it for its caller, at once. */
  cancel(reason: 'aborted' | 'closed', error: unknown): void {
    this.#settle();
    this.#front?.cancel(reason);
    if (this.#contending === undefined) this.line?.leave(this);
    else this.#context.background.add(this.#contending);
    this.#reject(error);
  }

  go(): void {
    this.#cancelAlarm();
    const { backend, host } = this.#context;
    this.#front = new Front(backend, host, this.request);
    if (this.line !== undefined) this.line.front = this.#front;
    this.#contending = this.#contend(this.#front);
  }

  #enter(): void {
    const { backend, lines, host } = this.#context;
    if (backend.capabilities.queue === 'fifo') return this.go();
    const { key, contender, startedMs, waitMs } = this.request;
    const line = lines.get(key);
    this.line = line ?? new Line(key, lines);
    if (line === undefined) return this.go();
    if (waitMs === 0) return this.#giveUp(line);
    line.join(this);
    const holderRemainingMs = line.holder?.remainingMs();
    host.emit({
      type: 'contended',
      key,
      backend: backend.name,
      contender,
      waitedMs: 0,
      holderRemainingMs,
    });
    // Also a wait without end has its alarm: it keeps the process alive.
    const endMs = startedMs + Math.min(waitMs, Number.MAX_SAFE_INTEGER);
    this.#cancelAlarm = this.#context.waits.at(endMs, () => this.#giveUp(line));
  }

  async #contend(front: Front): Promise<void> {
    const outcome = await front.run();
    this.#settle();
    if (outcome.kind === 'won') return this.#resolve(outcome);
    this.line?.next();
    if (outcome.kind === 'failed') this.#reject(outcome.error);
  }

  /** Never had its turn: it can say only what the head of its line knows. */
  #giveUp(line: Line): void {
    this.#settle();
    line.leave(this);
    const { key, startedMs } = this.request;
    const waitedMs = this.#context.host.runtime.now().monotonicMs - startedMs;
    const { name } = this.#context.backend;
    const { holder, front } = line;
    if (holder !== undefined)
      return this.#reject(timeoutError(key, name, waitedMs, holder.remainingMs()));
    const latest = front?.latest ?? { kind: 'busy' };
    if (latest.kind === 'busy')
      return this.#reject(timeoutError(key, name, waitedMs, latest.holderRemainingMs));
    const cause = latest.kind === 'refused' ? latest.error : latest.cause;
    this.#reject(unavailableError(key, name, waitedMs, cause));
  }

  #settle(): void {
    this.#context.acquisitions.delete(this);
    this.#cancelAlarm();
    this.#cancelAbort();
  }
}

/** `close` was called. */
export function closedError(backend: string, key?: string): LockError {
  return new LockError('CLOSED', `these locks on ${backend} are closed`, { key, backend });
}
