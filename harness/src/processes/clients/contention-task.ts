import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, LockError, type Locks, OutcomeUnknownError } from '@holdfast/core';
import { parseOwner } from '@holdfast/core/backend';
import { hostMs } from '../clock.ts';
import type { EventLog, LogEntry } from '../event-log.ts';
import type { ResourceClient } from '../resource-client.ts';
import type { ClientReport, ContentionWork } from './messages.ts';

/** The surroundings of a task, besides its locks. */
export interface ContentionContext {
  readonly name: string;
  readonly log: EventLog;
  readonly resource: ResourceClient;
  /** Resolves when the lab lets it proceed. */
  untilSignalled(): Promise<void>;
  report(what: ClientReport['kind']): void;
}

/** Pause before the next request after a failure. */
const REST_MS = 20;

/**
 * One client that contends for the shared key, for `rounds` rounds or until `signal`. In each round it acquires, reads,
 * thinks, checks its lease and writes.
 */
export class ContentionTask {
  readonly #work: ContentionWork;
  readonly #context: ContentionContext;
  #rounds = 0;
  #hasLingered = false;
  #hasRested = false;

  constructor(work: ContentionWork, context: ContentionContext) {
    this.#work = work;
    this.#context = context;
  }

  async run(locks: Locks | undefined, signal: AbortSignal): Promise<void> {
    const unlisten = locks?.on('contended', ({ key }) => {
      if (key === this.#work.key) this.#context.report('waiting');
    });
    // Without a lock no client ever waits: all work at once.
    if (locks === undefined) this.#context.report('waiting');
    const { rounds = Number.POSITIVE_INFINITY } = this.#work;
    while (!signal.aborted && this.#rounds < rounds) {
      const hold = `${this.#context.name}/${++this.#rounds}`;
      if (locks === undefined) await this.#update(hold, undefined);
      else await this.#underLock(locks, hold, signal);
      if (this.#hasLingered) await this.#rest(signal);
    }
    unlisten?.();
  }

  async #underLock(locks: Locks, hold: string, signal: AbortSignal): Promise<void> {
    this.#note(hold, { type: 'acquire' });
    const lease = await this.#acquire(locks, hold, signal);
    if (lease === undefined) return;
    const unlisten = this.#listen(locks, lease, hold);
    this.#granted(lease, hold);
    await this.#update(hold, lease);
    this.#note(hold, { type: 'exit' });
    unlisten();
    this.#note(hold, { type: 'release' });
    this.#note(hold, { type: 'released', outcome: (await lease.release()).kind });
  }

  async #acquire(locks: Locks, hold: string, signal: AbortSignal): Promise<Lease | undefined> {
    const { key, waitMs } = this.#work;
    try {
      return await locks.acquire(key, { waitMs, signal });
    } catch (error) {
      if (signal.aborted) {
        // A request under way may still win the lock: the outcome is unknown.
        this.#note(hold, { type: 'doubt', reason: 'withdrawn' });
        return undefined;
      }
      const mustComplete = this.#work.rounds !== undefined;
      if (mustComplete || !(error instanceof LockError)) throw error;
      const type = error instanceof OutcomeUnknownError ? 'doubt' : 'denied';
      this.#note(hold, { type, reason: error.code });
      await sleep(REST_MS);
      return undefined;
    }
  }

  #granted(lease: Lease, hold: string): void {
    const token = lease.fencingToken?.toString();
    // The clock first: a delay between the two makes the claim shorter, never longer.
    const validUntilMs = hostMs() + lease.remainingMs();
    this.#note(hold, { type: 'granted', validUntilMs, ...(token === undefined ? {} : { token }) });
    this.#note(hold, { type: 'enter' });
    this.#context.report('granted');
  }

  /** Logs renewals and the loss of the lease while it is held. */
  #listen(locks: Locks, lease: Lease, hold: string): () => void {
    const contender = parseOwner(lease.owner)?.contender;
    const unlisten = [
      locks.on('renewed', (event) => {
        if (event.contender !== contender) return;
        const validUntilMs = hostMs() + lease.remainingMs();
        this.#note(hold, { type: 'renewed', validUntilMs });
        this.#context.report('renewed');
      }),
      locks.on('lost', (event) => {
        if (event.contender === contender) this.#note(hold, { type: 'lost', reason: event.reason });
      }),
    ];
    return () => unlisten.forEach((end) => end());
  }

  async #update(hold: string, lease: Lease | undefined): Promise<void> {
    const { key, thinkMs, lingers } = this.#work;
    const { resource, name } = this.#context;
    const token = lease?.fencingToken?.toString();
    const who = { key, client: name, hold, token };
    const reading = await resource.request({ ...who, kind: 'read' });
    if (reading === null) throw new Error('the resource replied to a read without a reading');
    await sleep(thinkMs);
    if (isLost(lease)) return;
    if (lingers && !this.#hasLingered) {
      this.#hasLingered = true;
      await this.#linger(lease);
      if (this.#work.rechecksLease && isLost(lease)) return;
    }
    // From here on it believes that it holds, as code does between its last check and its write.
    const fenced = reading.fenced === null ? null : reading.fenced + 1;
    await resource.request({ ...who, kind: 'write', plain: reading.plain + 1, fenced });
  }

  async #linger(lease: Lease | undefined): Promise<void> {
    const proceeded = this.#context.untilSignalled();
    this.#context.report('inside');
    if (lease === undefined || !this.#work.rechecksLease) return await proceeded;
    const { signal } = lease;
    await Promise.race([proceeded, new Promise((over) => signal.addEventListener('abort', over))]);
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const { restMs = 0 } = this.#work;
    if (this.#hasRested || restMs === 0) return;
    this.#hasRested = true;
    await sleep(restMs, undefined, { signal }).catch(() => undefined);
  }

  #note(hold: string, event: Note): void {
    const { key } = this.#work;
    const { log, name } = this.#context;
    log.add({ ...event, atMs: hostMs(), client: name, key, hold });
  }
}

function isLost(lease: Lease | undefined): boolean {
  return lease !== undefined && lease.state !== 'held';
}

type OwnPart<E> = E extends { readonly hold: string }
  ? Omit<E, 'atMs' | 'client' | 'key' | 'hold'>
  : never;
type Note = OwnPart<LogEntry>;
