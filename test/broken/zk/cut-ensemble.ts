import { type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimZooKeeper, type SimZooKeeperServer, simOpenSession } from '@holdfast/harness/stores';
import type { openZk } from '@holdfast/zk';

/** Below `syncLimit × tickTime`: a follower that is cut off keeps replying for longer than a session lasts. */
export const T_MS = 4_000;
export const TICK_MS = 500;
const SYNC_LIMIT = 16;

/** Three servers, and clients that know one of them each. */
export class CutEnsemble {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly follower: SimZooKeeperServer;
  readonly leader: SimZooKeeperServer;
  readonly #ensemble: SimZooKeeper;
  readonly #open: typeof openZk;

  /** `open`: of another copy of the recipe. */
  constructor(open: typeof openZk) {
    const options = { tickMs: TICK_MS, syncLimit: SYNC_LIMIT };
    this.#open = open;
    this.#ensemble = new SimZooKeeper(this.world, this.network, options);
    const [follower, , leader] = this.#ensemble.servers;
    if (follower === undefined || leader === undefined) throw new Error('not three servers');
    this.follower = follower;
    this.leader = leader;
  }

  async locksOf(process: SimProcess, server: SimZooKeeperServer): Promise<Locks> {
    const host = createHost({ runtime: process.runtime, label: process.name });
    const options = { servers: [server], timeoutMs: T_MS };
    const session = simOpenSession(process, this.#ensemble, this.network, options);
    return createLocks(await this.#open({ open: session }, host), host);
  }
}
