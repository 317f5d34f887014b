import { adoptionError } from '../error-messages.ts';
import { otherModeError, placedBusy, placeMs, warnIfPermitsDiffer } from '../family.ts';
import { ownerValue } from '../owner.ts';
import type { Attempt, Contender, HoldMode, Host, Withdrawal } from '../port.ts';
import type { Instant } from '../runtime.ts';
import { callDeadlineMs } from '../validity.ts';
import { type MemoryClient, NoReply } from './client.ts';
import { memoryGrant } from './grant.ts';
import type { ModeReply } from './shared-holds.ts';
import type { AcquireReply, MemoryStore } from './store.ts';

interface MemoryRequest {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs: number;
  /** The exported hold to adopt, instead of a free key to acquire. */
  readonly exported?: string;
  /** Absent: exclusively. */
  readonly mode?: HoldMode | undefined;
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
  /** True if the store may have a place in line for it. */
  #hasPlace = false;
  #hasWarned = false;
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
    const { contender, ttlMs, exported } = this.#request;
    this.#hasChanged = false;
    this.#attempts += 1;
    const owner = ownerValue({ contender, n: this.#attempts, label: this.#host.label });
    // Read before the request is sent: the store counts from a later moment, so the lease ends first at its holder.
    const from = this.#host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    try {
      const label = exported === undefined ? 'acquire' : 'adopt';
      const reply = await this.#client.call(label, callEndMs, (store) => this.#ask(store, owner));
      return this.#outcome(reply, owner, from);
    } catch (cause) {
      this.#hasPlace = this.#request.mode !== undefined;
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
    if (this.#hasPlace) this.#leave();
    for (const undo of this.#keptUndos.splice(0)) undo();
    if (this.#pendingUndos.size > 0) await this.#awaitUndos();
    return this.#pendingUndos.size === 0
      ? { kind: 'clean' }
      : { kind: 'unknown', untilMs: this.#request.ttlMs };
  }

  /** What the store does for one attempt. */
  #ask(store: MemoryStore, owner: string): AcquireReply | ModeReply | undefined {
    const { key, ttlMs, exported, mode } = this.#request;
    if (exported === undefined && mode === undefined) return store.acquire(key, owner, ttlMs);
    if (exported === undefined && mode !== undefined)
      return store.request(key, owner, ttlMs, mode, placeMs(ttlMs));
    if (mode === undefined) return store.adopt(key, exported ?? '', owner, ttlMs);
    return store.downgrade(key, exported ?? '', owner, ttlMs);
  }

  #outcome(reply: AcquireReply | ModeReply | undefined, owner: string, from: Instant): Attempt {
    const { key, mode, ttlMs } = this.#request;
    const where = { key, backend: 'memory' };
    if (reply === undefined) return { kind: 'refused', error: adoptionError(where) };
    if (reply.kind === 'other-mode')
      return { kind: 'refused', error: otherModeError(where, reply.holds) };
    if ('otherOf' in reply && !this.#hasWarned)
      this.#hasWarned = warnIfPermitsDiffer(this.#host, where, mode, reply.otherOf);
    if (reply.kind === 'busy') {
      const { holderRemainingMs } = reply;
      this.#hasPlace = mode !== undefined;
      if (mode === undefined)
        return { kind: 'busy', holderRemainingMs, retryAfterMs: holderRemainingMs };
      return placedBusy(holderRemainingMs, ttlMs);
    }
    this.#hasPlace = false;
    this.#unsubscribe?.();
    const isAlone = mode === undefined || mode.kind === 'exclusive';
    const won = { key, owner, fencingToken: reply.token, isAlone, ttlMs, from };
    return { kind: 'granted', grant: memoryGrant(won, this.#client, this.#host.runtime) };
  }

  /** A place that is not given up ends by itself, so no one waits for the reply. */
  #leave(): void {
    const { key, contender } = this.#request;
    const callEndMs = Number.POSITIVE_INFINITY;
    const left = this.#client.call('leave', callEndMs, (store) => store.leave(key, contender));
    void Promise.resolve(left).catch(() => {});
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
    const { key, contender, mode } = this.#request;
    const onChange = (): void => {
      this.#hasChanged = true;
      this.#wake();
    };
    this.#unsubscribe = this.#client.subscribe(key, onChange, mode && contender);
    // The start of the subscription counts as a change: earlier releases were not notified.
    this.#hasChanged = true;
  }
}
