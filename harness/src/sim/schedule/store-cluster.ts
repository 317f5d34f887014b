import type { MemoryStore } from '@holdfast/core/backend';
import type { HoldLog } from '../hold-log.ts';
import { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import type { World } from '../world.ts';
import type { ClientView, Cluster, LeftoverMoment, Observations } from './cluster.ts';
import type { HoldState } from './holds.ts';

/** The name of the in-memory store in its records. */
export const STORE = 'store';

/** The in-memory store, its process, and its records. */
export interface StoreKeeper {
  readonly store: MemoryStore;
  readonly storeProcess: SimProcess;
  readonly storeLog: HoldLog;
}

/** A cluster without servers: a lock in one process has only its store, on a machine of its own. */
export class StoreCluster implements Cluster {
  readonly network: Network;
  readonly members: readonly [] = [];
  readonly lagMs = 0;
  readonly hasQueue = false;
  readonly noticesSilence = false;
  readonly #keeper: StoreKeeper | undefined;

  constructor(world: World, latencyMs: number, keeper?: StoreKeeper) {
    this.network = new Network(world, { latencyMs });
    this.#keeper = keeper;
  }

  view(): ClientView {
    return { nodes: [] };
  }

  serving(): readonly [] {
    return [];
  }

  holds(owner: string): HoldState {
    return {
      votes: 0,
      hasExpired: false,
      addresses: this.#keeper?.storeLog.timelinesAt([[STORE]], owner) ?? [[]],
      freeAtMs: () => this.#freeAtMs(owner),
    };
  }

  serverHolds(): readonly [] {
    return [];
  }

  observed(): Observations {
    const storedValues = this.#keeper?.storeLog.storedValues ?? [];
    return { touches: [], storedValues, hasPromoted: false, hasLostUnreplicated: false };
  }

  leftovers(at: LeftoverMoment): readonly string[] {
    const isLeft = at === 'rest' && this.#keeper?.store.inspect('k') !== undefined;
    return isLeft ? ['the key is left in the store'] : [];
  }

  contents(): readonly string[] {
    return [];
  }

  #freeAtMs(owner: string): number {
    const held = this.#keeper?.store.inspect('k');
    if (this.#keeper === undefined || held?.owner !== owner) return Number.NEGATIVE_INFINITY;
    const { storeProcess } = this.#keeper;
    return storeProcess.times.endOf({ from: storeProcess.clocks, ms: held.remainingMs });
  }
}
