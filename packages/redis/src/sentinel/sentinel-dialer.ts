import type { Runtime } from '@holdfast/core';
import type { HostPort } from '../adapters/clients.ts';
import type { Dialer, Link, LinkEvents, LinkPurpose } from '../link.ts';
import { type FoundMaster, MasterSearch } from './master-search.ts';
import { MasterWatch, type MasterWatchOptions } from './master-watch.ts';
import { SentinelLink } from './sentinel-link.ts';

/** Options of `SentinelDialer`. */
export interface SentinelDialerOptions {
  /** Its clocks and timers. */
  readonly runtime: Runtime;
  /** The addresses of the sentinels and the master's name, for people. */
  readonly address: string;
  /** The name under which the sentinels know the master. */
  readonly name: string;
  /** At least one, in the order of the list. */
  readonly sentinels: readonly Dialer[];
  /** Returns a dialer to a data node, by the address that the sentinels give. */
  dialMaster(at: HostPort): Dialer;
  /** The limit of an attempt to connect, in ms; half of it is for the question to the sentinels. */
  readonly connectMs: number;
}

/**
 * The sentinels are asked this long after a command, in the background, so that a master in use is never older than that,
 * even if the sentinel that is listened to is cut off. An idle process asks nothing.
 */
export const RECHECK_MS = 10_000;

/**
 * Connections to the master that sentinels name. They end as soon as another one is the master, so that the next one leads
 * there.
 * @example
 * ```ts
 * const dialer = new SentinelDialer({
 *   ...{ runtime: host.runtime, connectMs: 2_000 },
 *   ...{ address: 'sentinel1:26379 (orders)', name: 'orders' },
 *   sentinels: [dialTo('sentinel1:26379')],
 *   dialMaster: (at) => dialTo(`${at.host}:${at.port}`),
 * });
 * ```
 */
export class SentinelDialer implements Dialer {
  readonly address: string;
  readonly #options: SentinelDialerOptions;
  readonly #search: MasterSearch;
  readonly #watch: MasterWatch;
  readonly #links = new Set<SentinelLink>();
  readonly #onNotification: (() => void)[] = [];
  #finding: Promise<FoundMaster> | undefined;
  #cancelRecheck: (() => void) | undefined;
  #isChecking = false;
  #hasChanged = false;
  #isClosed = false;

  constructor(options: SentinelDialerOptions) {
    const { runtime, address, name, sentinels, connectMs } = options;
    this.#options = options;
    this.address = address;
    this.#search = new MasterSearch({ runtime, name, sentinels, askMs: Math.ceil(connectMs / 2) });
    const changed: MasterWatchOptions['changed'] = ({ kind }) => {
      if (kind === 'message') void this.#announce();
      void this.#recheck();
    };
    this.#watch = new MasterWatch({ runtime, sentinels, connectMs, changed });
  }

  dial(purpose: LinkPurpose, events: LinkEvents): Link {
    const link = new SentinelLink({
      purpose,
      events,
      find: () => this.#find(),
      dialMaster: (at) => this.#options.dialMaster(at),
      used: () => this.#used(),
      over: (ended) => this.#links.delete(ended),
    });
    this.#links.add(link);
    this.#watch.start();
    return link;
  }

  onNotification(run: () => void): void {
    this.#onNotification.push(run);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRecheck?.();
    this.#watch.close();
    this.#search.close();
  }

  /**
   * One search at a time, so that none ends with an older answer than the one before. It serves whatever is dialled
   * meanwhile.
   */
  #find(): Promise<FoundMaster> {
    this.#finding ??= this.#search.find().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  #used(): void {
    this.#cancelRecheck ??= this.#options.runtime.timer(RECHECK_MS, () => {
      this.#cancelRecheck = undefined;
      void this.#recheck();
    });
  }

  /** Waits for the search that is under way: it may have asked before something changed. */
  async #searched(): Promise<void> {
    await this.#finding?.catch(() => undefined);
  }

  async #announce(): Promise<void> {
    await this.#searched();
    if (!this.#isClosed) for (const run of this.#onNotification) run();
  }

  /** Searches anew, once more if anything happens meanwhile, and ends what leads to another server. */
  async #recheck(): Promise<void> {
    this.#hasChanged = true;
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#hasChanged && !this.#isClosed && this.#links.size > 0) {
      // oxlint-disable-next-line no-await-in-loop -- one search after the other
      await this.#searched();
      this.#hasChanged = false;
      // oxlint-disable-next-line no-await-in-loop
      const found = await this.#find().catch(() => undefined);
      if (found !== undefined) for (const link of Array.from(this.#links)) link.masterIs(found);
    }
    this.#isChecking = false;
  }
}
