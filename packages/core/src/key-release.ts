import { asUnknown, releaseOf } from './background.ts';
import { closedError } from './error-messages.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { LeaseContext, LeaseEvent } from './lease-context.ts';
import type { Grant, Release, Renewal } from './port.ts';
import { RetainedKey } from './retained-key.ts';

/** The lease whose key is released. */
export interface ReleasedLease {
  readonly grant: Grant;
  readonly clock: LeaseClock;
  readonly keyOnBackend: { readonly key: string; readonly backend: string };
  emit(event: LeaseEvent): void;
  /** Lets the next waiter contend. */
  next(): void;
}

/**
 * Gives the key of an ended lease back to the store: at once, or after `keepMs`. Then the next waiter may contend. `close`
 * waits for it; after the time limit of `close` nothing is sent any more, and the key stays taken until the lease expires.
 */
export class KeyRelease {
  readonly #context: LeaseContext;
  readonly #lease: ReleasedLease;
  #resolveClose: (() => void) | undefined;
  /** `waiting` while `close` waits for the release; `abandoned` after its time limit. */
  #closing: 'no' | 'waiting' | 'abandoned' = 'no';
  #retained: RetainedKey | undefined;
  #securing: Promise<void> | undefined;

  constructor(context: LeaseContext, lease: ReleasedLease) {
    this.#context = context;
    this.#lease = lease;
  }

  get isClosing(): boolean {
    return this.#closing !== 'no';
  }

  get isAbandoned(): boolean {
    return this.#closing === 'abandoned';
  }

  /** Never rejects. */
  send(): Promise<Release> {
    return this.#request().catch(asUnknown);
  }

  #request(toNext = false): Promise<Release> {
    const { grant, keyOnBackend } = this.#lease;
    try {
      if (!this.isAbandoned)
        return Promise.resolve(
          toNext && grant.releaseToNext ? grant.releaseToNext() : grant.release(),
        );
      return Promise.resolve(asUnknown(closedError(keyOnBackend.backend, keyOnBackend.key)));
    } catch (cause) {
      return Promise.resolve(asUnknown(cause));
    }
  }

  /** Releases the key, to the next attempt alone if that may get it, emits `released`, and lets the next waiter contend. */
  sendAndReport(toNext = false): Promise<Release> {
    const { runtime } = this.#context.host;
    const heldMs = this.#lease.clock.heldMs();
    const from = runtime.now();
    const report = (given: Release): Release => {
      const release = releaseOf(given);
      const tookMs = runtime.elapsedMs(from);
      this.#lease.emit({ type: 'released', outcome: release.kind, heldMs, tookMs });
      this.notifyEnded();
      return release;
    };
    const release = this.#request(toNext).then(report, (cause: unknown) =>
      report(asUnknown(cause)),
    );
    // `close` waits for it, and does not know the lease any more once the next waiter has its place.
    if (toNext) this.#context.background.add(release);
    return release;
  }

  /**
   * Keeps the key taken until a time on the monotonic clock, then releases it. Resolves once the store keeps it that long
   * by itself, or can no longer be made to.
   */
  async retainUntil(untilMs: number, renew: (ttlMs: number) => Promise<Renewal>): Promise<void> {
    const { background, host, retainedDeadlines } = this.#context;
    const { clock } = this.#lease;
    this.#retained = new RetainedKey({
      runtime: host.runtime,
      deadlines: retainedDeadlines,
      untilMs,
      validity: clock.validity,
      retryMs: clock.retryMs,
      renew,
      onOver: () => background.add(this.sendAndReport()),
    });
    this.#securing = this.#retained.secure();
    background.add(this.#securing);
    await this.#securing;
    if (!this.isClosing) return;
    this.#retained.abandon();
    this.notifyEnded();
  }

  /** Resolves when the key has been released, or when it never will be. */
  close(): Promise<void> {
    this.#closing = 'waiting';
    this.#retained?.abandon();
    if (this.#securing !== undefined) return this.#securing.then(() => this.notifyEnded());
    return new Promise<void>((resolve) => {
      this.#resolveClose = resolve;
    });
  }

  /** Ends the wait of `close`: from now on nothing is sent to the backend. */
  abandon(): void {
    this.#closing = 'abandoned';
    this.#retained?.abandon();
  }

  /** Ends the wait of `close` for a lease that its holder has dropped. */
  excuse(): void {
    this.#resolveClose?.();
  }

  notifyEnded(): void {
    this.#resolveClose?.();
    this.#lease.next();
  }
}
