import type { Runtime } from '@holdfast/core';
import { ConfigError } from '@holdfast/core';
import { NodeReplyError, NodeUnavailable } from '../port.ts';
import { classifyReply } from '../replies.ts';
import type { NatMap } from '../sentinel/sentinel-options.ts';
import { addressAt, type HostPort, parseHostPort, translated } from './host-port.ts';
import type { MemberPool } from './member-pool.ts';
import type { Redirect } from './redirect.ts';
import { isForeign, parseSlots, type Topology } from './topology.ts';

export interface ClusterMapOptions {
  readonly runtime: Runtime;
  readonly pool: MemberPool;
  /** The addresses that the cluster was opened with. */
  readonly seeds: readonly string[];
  readonly natMap: NatMap | undefined;
  /** Called when a slot may have another owner than before. */
  readonly changed: () => void;
}

/** The limit for one node to tell the slots; then the next one is asked. */
const ASK_MS = 1_000;
/** Many calls fail at once, and one new view serves them all. */
const REFRESH_PAUSE_MS = 100;

/**
 * Knows which node serves which slot. Learns it from any node, and anew after a redirect and after a node failed. A view may
 * be old: that costs a redirect or an attempt, never safety, because a node executes only what it owns itself.
 */
export class ClusterMap {
  readonly #options: ClusterMapOptions;
  #topology: Topology | undefined;
  /** The ids of all nodes of this cluster so far. */
  readonly #ids = new Set<string>();
  /** The node that failed last: it is asked last. */
  #failed: string | undefined;
  #refreshing: Promise<void> | undefined;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #cancelRefresh: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ClusterMapOptions) {
    this.#options = options;
  }

  get label(): string {
    return this.#options.seeds.join(',');
  }

  /**
   * Returns the address of the master of a slot, or of any master.
   * @throws NodeUnavailable if it is not known by the deadline
   */
  async ownerOf(slot: number | undefined, deadlineMs: number): Promise<string> {
    // Without a pause for the usual case: commands of one tick leave in one burst.
    const known = this.known(slot);
    if (known !== undefined) return known;
    await this.#learn(deadlineMs);
    const learnt = this.known(slot);
    if (learnt !== undefined) return learnt;
    throw new NodeUnavailable(`${this.label}: no master serves slot ${slot ?? 0}`);
  }

  /** The owner of a slot, or any master, as far as it is known. */
  known(slot: number | undefined): string | undefined {
    if (slot !== undefined) return this.#topology?.owners.of(slot);
    const masters = this.#topology?.masters ?? [];
    return masters[Math.floor(this.#options.runtime.random() * masters.length)];
  }

  /** Asks, since nobody may have called for long. @throws NodeUnavailable if no node tells, or a slot has no master */
  async masters(deadlineMs: number): Promise<readonly string[]> {
    await this.#learn(deadlineMs);
    if (this.#gaps > 0)
      throw new NodeUnavailable(`${this.label}: ${this.#gaps} slots have no master`);
    return this.#topology?.masters ?? [];
  }

  /** Follows a redirect that the node at `from` replied; returns the address that it names. */
  followed({ kind, slot, to }: Redirect, from: string): string {
    const address = this.#addressOf(to, from);
    if (kind === 'moved') {
      const owners = this.#topology?.owners;
      const isNew = owners !== undefined && owners.of(slot) !== address;
      if (isNew) owners.move(slot, address);
      this.refreshSoon(address);
      if (isNew) this.#options.changed();
    }
    return address;
  }

  /** A call to the node at `address` got no reply: it may be down, and its slots be served elsewhere by now. */
  failed(address: string): void {
    this.#failed = address;
    this.refreshSoon();
  }

  /** Learns the slots anew in the background; `first` is asked first. */
  refreshSoon(first?: string): void {
    if (this.#isClosed || this.#refreshing !== undefined || this.#cancelRefresh !== undefined)
      return;
    const { runtime } = this.#options;
    const pauseMs = this.#refreshedMs + REFRESH_PAUSE_MS - runtime.now().monotonicMs;
    const start = (): void => {
      this.#cancelRefresh = undefined;
      this.#refresh(first).catch(() => undefined);
    };
    if (pauseMs <= 0) start();
    else this.#cancelRefresh = runtime.timer(pauseMs, start);
  }

  /** Asks all seeds. @throws ConfigError if they are of several clusters, or one refuses; NodeUnavailable */
  async check(deadlineMs: number): Promise<void> {
    const outcomes = await Promise.all(
      this.#options.seeds.map(async (seed) => {
        try {
          return this.#adopt(await this.#ask(seed, deadlineMs), seed);
        } catch (error) {
          return { error };
        }
      }),
    );
    const errors = outcomes.flatMap((outcome) => (outcome === undefined ? [] : [outcome.error]));
    const decisive = errors.map(decisiveIn).find((error) => error !== undefined);
    if (decisive !== undefined) throw decisive;
    if (errors.length === outcomes.length) throw this.#unknown(errors.at(-1));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRefresh?.();
  }

  get #gaps(): number {
    return this.#topology?.owners.unserved ?? 0;
  }

  /** Waits for a new view, no longer than until the deadline. */
  #learn(deadlineMs: number): Promise<void> {
    const { runtime } = this.#options;
    const ms = deadlineMs - runtime.now().monotonicMs;
    return new Promise((resolve, reject) => {
      const cancel = runtime.timer(
        ms,
        () => reject(new NodeUnavailable(`${this.label}: no node told the slots by the deadline`)),
        { awaited: true },
      );
      this.#refresh().finally(cancel).then(resolve, reject);
    });
  }

  #refresh(first?: string): Promise<void> {
    this.#refreshing ??= this.#discover(first).finally(() => {
      this.#refreshing = undefined;
      this.#refreshedMs = this.#options.runtime.now().monotonicMs;
    });
    return this.#refreshing;
  }

  async #discover(first: string | undefined): Promise<void> {
    let cause: unknown;
    for (const address of this.#candidates(first)) {
      try {
        const deadlineMs = this.#options.runtime.now().monotonicMs + ASK_MS;
        // One after the other: the first that answers is enough.
        // oxlint-disable-next-line no-await-in-loop
        return this.#adopt(await this.#ask(address, deadlineMs), address);
      } catch (error) {
        cause = decisiveIn(cause) ?? error;
      }
    }
    throw this.#unknown(cause);
  }

  /** The nodes to ask, each once: `first`, then in random order. */
  #candidates(first: string | undefined): readonly string[] {
    const { runtime, seeds } = this.#options;
    const { masters = [], replicas = [] } = this.#topology ?? {};
    const shuffled = (addresses: readonly string[]): readonly string[] =>
      addresses
        .map((address) => ({ address, at: runtime.random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ address }) => address);
    const all = new Set([...shuffled(masters), ...shuffled(replicas), ...shuffled(seeds)]);
    const failed = this.#failed !== undefined && all.delete(this.#failed) ? [this.#failed] : [];
    return [...new Set([...(first === undefined ? [] : [first]), ...all, ...failed])];
  }

  async #ask(address: string, deadlineMs: number): Promise<Topology> {
    const node = this.#options.pool.get(address);
    const reply = await node.command(['CLUSTER', 'SLOTS'], { deadlineMs });
    const topology = parseSlots(reply, (place) => this.#addressOf(place, address));
    if (topology.masters.length > 0) return topology;
    throw new NodeUnavailable(`${address}: knows of no node that serves a slot`);
  }

  /** @throws ConfigError for a view of another cluster: some of the locks would be kept there */
  #adopt(topology: Topology, from: string): undefined {
    if (isForeign(topology.ids, this.#ids)) {
      throw new ConfigError(
        `${this.label}: ${from} belongs to another cluster than the other addresses, and locks of two clusters do not exclude each other`,
      );
    }
    for (const id of topology.ids) this.#ids.add(id);
    this.#topology = topology;
    this.#options.pool.keep(topology.masters);
    this.#options.changed();
  }

  #addressOf(place: HostPort, from: string): string {
    // A node that does not know its own host is where it was reached, which is translated already.
    if (place.host === '') return addressAt({ ...place, host: parseHostPort(from)?.host ?? '' });
    return addressAt(translated(place, this.#options.natMap));
  }

  #unknown(error: unknown): NodeUnavailable {
    const cause = decisiveIn(error) ?? error;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    return new NodeUnavailable(`${this.label}: no node told the slots${why}`, cause);
  }
}

/** Returns the reason, in an error or its cause, that will not pass by itself: a wrong server, or a refused log-in. */
function decisiveIn(error: unknown): Error | undefined {
  const inner = error instanceof NodeUnavailable ? error.cause : error;
  if (inner instanceof ConfigError) return inner;
  return inner instanceof NodeReplyError && classifyReply(inner) === 'refused' ? inner : undefined;
}
