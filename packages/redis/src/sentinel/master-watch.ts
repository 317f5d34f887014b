import type { Runtime } from '@holdfast/core';
import type { Dialer, Link, LinkEvents, LinkPurpose } from '../link.ts';
import { NodeReplyError } from '../port.ts';
import { WakeUps } from '../wake-ups.ts';

/**
 * `+switch-master` says that a failover is over. The sentinel that leads it sends that a second later than the others do,
 * and `+promoted-slave` in time.
 */
const CHANNELS = ['+switch-master', '+promoted-slave'];
/** The pause after a sentinel could not be reached; the next attempt goes to the next one. */
const RETRY_MS = 1_000;

export interface MasterWatchOptions {
  readonly runtime: Runtime;
  readonly sentinels: readonly Dialer[];
  readonly connectMs: number;
  /** Called if the master may have changed: on a message, or a gap, in which one may have been missed. */
  readonly changed: (event: { readonly kind: 'message' | 'gap' }) => void;
}

/** Listens to one sentinel at a time; when it is lost, to the next one. Keeps no process alive. */
export class MasterWatch {
  readonly #options: MasterWatchOptions;
  #wakeUps: WakeUps | undefined;
  readonly #retries = new Set<() => void>();
  #isClosed = false;

  constructor(options: MasterWatchOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#wakeUps !== undefined || this.#isClosed) return;
    const { runtime, sentinels, connectMs } = this.#options;
    this.#wakeUps = new WakeUps({ runtime, dialer: new RotatingDialer(sentinels), connectMs });
    for (const channel of CHANNELS) void this.#subscribe(channel, this.#wakeUps);
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#retries) cancel();
    this.#wakeUps?.close();
  }

  async #subscribe(channel: string, wakeUps: WakeUps): Promise<void> {
    const { runtime, changed } = this.#options;
    try {
      await wakeUps.subscribe(channel, changed);
      // The master may have changed before.
      if (!this.#isClosed) changed({ kind: 'gap' });
    } catch (error) {
      // What an ACL refuses stays refused: the search that follows use finds a new master, only later.
      if (this.#isClosed || error instanceof NodeReplyError) return;
      const cancel = runtime.timer(RETRY_MS, () => {
        this.#retries.delete(cancel);
        void this.#subscribe(channel, wakeUps);
      });
      this.#retries.add(cancel);
    }
  }
}

/** Dials one sentinel after the other. */
class RotatingDialer implements Dialer {
  readonly #dialers: readonly Dialer[];
  #dials = 0;

  constructor(dialers: readonly Dialer[]) {
    this.#dialers = dialers;
  }

  get address(): string {
    return this.#at(this.#dials - 1)?.address ?? '';
  }

  dial(purpose: LinkPurpose, events: LinkEvents): Link {
    const dialer = this.#at(this.#dials++);
    if (dialer === undefined) throw new Error('there is no sentinel');
    return dialer.dial(purpose, events);
  }

  #at(place: number): Dialer | undefined {
    return this.#dialers[Math.max(0, place) % this.#dialers.length];
  }
}
