import { adoptionError } from '../error-messages.ts';
import { ownerValue } from '../owner.ts';
import type { Attempt, Contender, Host, Withdrawal } from '../port.ts';
import type { Instant } from '../runtime.ts';
import { callDeadlineMs } from '../validity.ts';
import { type MemoryClient, NoReply } from './client.ts';
import { memoryGrant } from './grant.ts';
import type { AcquireReply } from './store.ts';

interface MemoryRequest {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs: number;
  /** The exported hold to adopt, instead of a free key to acquire. */
  readonly exported?: string;
}

/** Contends for one key. Outcomes are unknown only over a slow link; a grant in a late reply is released. */
export class MemoryContender implements Contender {
  readonly #client: MemoryClient;
  readonly #host: Host;
  readonly #request: MemoryRequest;
  readonly #pendingUndos = new Set<Promise<unknown>>();
  /** The undos of adoptions in doubt. An undo before the next attempt would leave it nothing to adopt. */
  readonly #keptUndos: (() => void)[] = [];
  #attempts = 0;
  /** True if the key was released, or the subscription became live, since the latest attempt started. */
  #hasChanged = false;
  #unsubscribe: (() => void) | undefined;
  #wake: () => void = () => {};

  constructor(client: MemoryClient, host: Host, request: MemoryRequest) {
    this.#client = client;
    this.#host = host;
    this.#request = request;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { key, contender, ttlMs, exported } = this.#request;
    this.#hasChanged = false;
    this.#attempts += 1;
    const owner = ownerValue({ contender, n: this.#attempts, label: this.#host.label });
    // Read before the request is sent: the store counts from a later moment, so the lease ends first at its holder.
    const from = this.#host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    try {
      const reply = await (exported === undefined
        ? this.#client.call('acquire', callEndMs, (s) => s.acquire(key, owner, ttlMs))
        : this.#client.call('adopt', callEndMs, (s) => s.adopt(key, exported, owner, ttlMs)));
      return this.#outcome(reply, owner, from);
    } catch (cause) {
      if (cause instanceof NoReply) this.#undo(cause.reply, owner);
      return { kind: 'unknown', cause };
    }
  }

  async changed(signal: AbortSignal): Promise<void> {
    this.#subscribe();
    if (this.#hasChanged || signal.aborted) return;
    await new Promise<void>((resume) => {
      this.#wake = resume;
      signal.addEventListener('abort', () => resume(), { once: true });
    });
  }

  async withdraw(): Promise<Withdrawal> {
    this.#unsubscribe?.();
    for (const undo of this.#keptUndos.splice(0)) undo();
    if (this.#pendingUndos.size > 0) await this.#awaitUndos();
    return this.#pendingUndos.size === 0
      ? { kind: 'clean' }
      : { kind: 'unknown', untilMs: this.#request.ttlMs };
  }

  #outcome(reply: AcquireReply | undefined, owner: string, from: Instant): Attempt {
    if (reply === undefined) {
      const error = adoptionError({ key: this.#request.key, backend: 'memory' });
      return { kind: 'refused', error };
    }
    if (reply.kind === 'busy') {
      const { holderRemainingMs } = reply;
      return { kind: 'busy', holderRemainingMs, retryAfterMs: holderRemainingMs };
    }
    this.#unsubscribe?.();
    const won = { ...this.#request, owner, fencingToken: reply.token, from };
    return { kind: 'granted', grant: memoryGrant(won, this.#client, this.#host.runtime) };
  }

  #undo(reply: Promise<unknown>, owner: string): void {
    if (this.#request.exported === undefined) this.#undoLate(reply, owner);
    else this.#keptUndos.push(() => this.#undoLate(reply, owner));
  }

  #undoLate(reply: Promise<unknown>, owner: string): void {
    const { key } = this.#request;
    const callEndMs = Number.POSITIVE_INFINITY;
    const undoing = reply
      .then(() => this.#client.call('undo', callEndMs, (store) => store.release(key, owner)))
      .catch(() => {})
      .finally(() => this.#pendingUndos.delete(undoing));
    this.#pendingUndos.add(undoing);
  }

  /** Resolves when nothing is left to undo, or after one call deadline. */
  #awaitUndos(): Promise<void> {
    return new Promise((resume) => {
      const { runtime } = this.#host;
      const cancel = runtime.timer(callDeadlineMs(this.#request.ttlMs), resume, { awaited: true });
      void Promise.all(this.#pendingUndos)
        .finally(cancel)
        .then(() => resume());
    });
  }

  #subscribe(): void {
    if (this.#unsubscribe !== undefined) return;
    this.#unsubscribe = this.#client.subscribe(this.#request.key, () => {
      this.#hasChanged = true;
      this.#wake();
    });
    // The start of the subscription counts as a change: earlier releases were not notified.
    this.#hasChanged = true;
  }
}
