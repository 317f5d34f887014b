import { type AcquireOptions, LockLostError, LockTimeoutError, type Release } from '@holdfast/core';
import type { SimProcess } from '@holdfast/harness/simulator';
import { inside } from './current-process.ts';
import type { Hold, Peer } from './peer.ts';

/** After an error that says nothing about the key, a caller tries again. */
export const ASK_AGAIN_MS = 100;

interface LostEvent {
  readonly contender: string;
  readonly reason: string;
}

export interface PeerLocksOptions {
  readonly process: SimProcess;
  readonly ttlMs: number;
  readonly waitMs: number;
}

/**
 * Replaces our `Locks` for clients of the simulator. It adds nothing to the library, no deadline and no renewal. It makes
 * the calls that the documentation of the library shows, and believes their results.
 */
export class PeerLocks {
  readonly #peer: Peer;
  readonly #options: PeerLocksOptions;
  readonly #lost = new Set<(event: LostEvent) => void>();
  #count = 0;

  constructor(peer: Peer, options: PeerLocksOptions) {
    this.#peer = peer;
    this.#options = options;
  }

  on(type: string, listener: (event: LostEvent) => void): () => void {
    if (type === 'lost') this.#lost.add(listener);
    return () => this.#lost.delete(listener);
  }

  acquire(key: string, { signal }: AcquireOptions = {}): Promise<PeerLease> {
    const { process, waitMs } = this.#options;
    const contender = `${process.name}${++this.#count}`;
    const lease = new PeerLease(`${contender}:1`, process);
    return new Promise((resolve, reject) => {
      const lost = (reason: string): void => {
        lease.lose(reason);
        for (const tell of this.#lost) tell({ contender, reason });
      };
      let isOver = false;
      const end = (settle: () => void): void => {
        isOver = true;
        stop();
        signal?.removeEventListener('abort', aborted);
        settle();
      };
      const aborted = (): void => end(() => reject(signal?.reason));
      const late = new LockTimeoutError('nobody got the key in time', { key });
      const stop = process.runtime.timer(waitMs, () => end(() => reject(late)));
      signal?.addEventListener('abort', aborted);
      void this.#ask(key, lost, () => isOver).then((hold) => {
        if (isOver) void inside(process, () => hold?.release().catch(() => {}));
        else if (hold !== undefined) end(() => resolve(lease.begin(hold)));
      });
    });
  }

  /** Until the library grants it. */
  async #ask(
    key: string,
    lost: (reason: string) => void,
    isOver: () => boolean,
  ): Promise<Hold | undefined> {
    const { process, ttlMs } = this.#options;
    while (!isOver()) {
      try {
        return await inside(process, () => this.#peer.acquire({ key, ttlMs, lost }));
      } catch {
        await new Promise<void>((resolve) => {
          process.runtime.timer(ASK_AGAIN_MS, resolve);
        });
      }
    }
    return undefined;
  }

  close(): Promise<void> {
    inside(this.#options.process, () => this.#peer.close());
    return Promise.resolve();
  }
}

/** The calls that a client of the simulator makes on a lease. */
export class PeerLease {
  readonly owner: string;
  readonly #process: SimProcess;
  readonly #ended = new AbortController();
  #hold: Hold | undefined;

  constructor(owner: string, process: SimProcess) {
    this.owner = owner;
    this.#process = process;
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get fencingToken(): bigint | undefined {
    return this.#hold?.fencingToken;
  }

  begin(hold: Hold): this {
    this.#hold = hold;
    return this;
  }

  lose(reason: string): void {
    this.#ended.abort(new LockLostError(reason));
  }

  remainingMs(): number {
    const hold = this.#hold;
    if (hold === undefined || this.signal.aborted) return 0;
    return Math.max(
      0,
      inside(this.#process, () => hold.remainingMs()),
    );
  }

  assertHeld(): void {
    if (this.remainingMs() === 0) throw new LockLostError('the library says that it is over');
  }

  /** The library reports a failed release by rejecting, and gives no more detail. */
  async release(): Promise<Release> {
    try {
      await inside(this.#process, () => this.#hold?.release());
      return { kind: 'released' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }
}
