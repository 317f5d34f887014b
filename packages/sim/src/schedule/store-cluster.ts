import type { MemoryStore } from '@holdfast/core';
import type { HoldLog } from '../hold-log.ts';
import { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import type { World } from '../world.ts';
import type { Cluster, Leaving, View } from './cluster.ts';
import { STORE } from './watched-link.ts';

/** The in-memory store, and the process that has it. */
export interface StoreKeeper {
  readonly store: MemoryStore;
  readonly storeProcess: SimProcess;
}

/** No server at all: what a lock in one process has is its store, on a machine of its own. */
export class StoreCluster implements Cluster {
  readonly network: Network;
  readonly members: readonly [] = [];
  readonly lagMs = 0;
  readonly hasQueue = false;
  readonly noticesSilence = false;
  readonly holds: HoldLog;
  readonly addresses: readonly (readonly string[])[] = [[STORE]];
  readonly touches: readonly [] = [];
  readonly hasLostUnreplicated = false;
  readonly #keeper: StoreKeeper | undefined;

  constructor(world: World, latencyMs: number, holds: HoldLog, keeper?: StoreKeeper) {
    this.network = new Network(world, { latencyMs });
    this.holds = holds;
    this.#keeper = keeper;
  }

  view(): View {
    return { nodes: [] };
  }

  serving(): readonly [] {
    return [];
  }

  votesOf(): number {
    return 0;
  }

  standsUntilMs(owner: string): number {
    const held = this.#keeper?.store.inspect('k');
    if (this.#keeper === undefined || held?.owner !== owner) return Number.NEGATIVE_INFINITY;
    const { storeProcess } = this.#keeper;
    return storeProcess.endOf({ from: storeProcess.clocks, ms: held.remainingMs });
  }

  hasExpired(): boolean {
    return false;
  }

  leftovers(at: Leaving): readonly string[] {
    const isLeft = at === 'rest' && this.#keeper?.store.inspect('k') !== undefined;
    return isLeft ? ['the key is left in the store'] : [];
  }

  contents(): readonly string[] {
    return [];
  }
}
