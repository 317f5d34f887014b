import * as shipped from '@holdfast/redis/links';
import type { SimProcess } from '../../../sim/process.ts';
import type { ClientView } from '../../../sim/schedule/cluster.ts';
import {
  type ClientId,
  nodeName,
  replicaName,
  type Schedule,
} from '../../../sim/schedule/schedule.ts';
import type { World } from '../../../sim/world.ts';
import { RedisCluster, type RedisClusterOptions } from './cluster.ts';
import { Labels } from './link.ts';
import { nodeBy, simDialer } from './node.ts';
import { SIM_PORT } from './sentinel.ts';
import type { SimRedisServer } from './server.ts';
import type { SimRedisService } from './service.ts';
import { SlotMove } from './slot-move.ts';
import { SlotGuard } from './slots.ts';

export interface SlotClusterOptions
  extends Omit<
    RedisClusterOptions,
    'size' | 'isShared' | 'isOneStore' | 'hasReplicas' | 'slotsOf'
  > {
  /** The client code that follows slots; by default what ships. */
  readonly client?: Pick<typeof shipped, 'ClusterNode'> | undefined;
  /** True if the slots move back and forth all the time. */
  readonly moves: boolean;
}

/** The time after which a master is given up by the others, and refuses keys if it cannot reach most of them. */
const NODE_TIMEOUT_MS = 300;
const CONNECT_MS = 2_000;
const MASTERS = 2;

/**
 * A Redis Cluster of two masters with their replicas. A third master, which makes a majority, has no slots and is not simulated.
 * The locks are on the first master, or wherever its slots have moved.
 */
export class SlotRedisCluster extends RedisCluster {
  readonly #world: World;
  readonly #client: Pick<typeof shipped, 'ClusterNode'>;
  readonly #guards: ReadonlyMap<string, SlotGuard>;
  readonly #clients = new Map<string, SimProcess>();

  constructor(world: World, schedule: Schedule, options: SlotClusterOptions) {
    const guards = new Map<string, SlotGuard>();
    const slotsOf = (name: string): SlotGuard => {
      const view = { owner: nodeName(0), replica: replicaName(0) };
      const still = { migratingTo: undefined, isImporting: false, isDown: false };
      const guard = new SlotGuard(name, { ...view, ...still });
      guards.set(name, guard);
      return guard;
    };
    super(world, schedule, {
      ...options,
      size: MASTERS,
      isShared: false,
      hasReplicas: true,
      isOneStore: true,
      slotsOf,
    });
    this.#world = world;
    this.#client = options.client ?? shipped;
    this.#guards = guards;
    if (options.moves) new SlotMove(world, this.services, guards).start();
  }

  override view(process: SimProcess): ClientView {
    this.#clients.set(process.name, process);
    const labels = new Labels();
    const { network } = this;
    const open = (address: string): shipped.MemberNode => {
      const [name = ''] = address.split(':');
      const dialer = simDialer(process, address, { network, labels }, () => ({
        server: this.#serverAt(name),
      }));
      return nodeBy(process, dialer, labels, { connectMs: CONNECT_MS });
    };
    const seeds = this.services.map(({ name }) => `${name}:${SIM_PORT}`);
    const { runtime } = process;
    const options = { runtime, open, seeds, natMap: undefined, connectMs: CONNECT_MS };
    return { nodes: [new this.#client.ClusterNode(options)] };
  }

  /** The master that has the locks, if the first address is in the mask. */
  override serving(mask: number): readonly SimRedisServer[] {
    return mask % 2 === 0 ? [] : [this.#owner.master];
  }

  override failover(_mask: number, ms: number): readonly string[] {
    return this.#onOwner((pair) => {
      this.noteLoss(pair);
      pair.failover({ afterMs: ms, promoted: () => this.#promoted(pair) });
    });
  }

  /** The network falls in two: one master and the clients that stay, and all others. */
  override splitBrain(_mask: number, ms: number, stay: readonly ClientId[]): readonly string[] {
    return this.#onOwner((pair) => {
      const others = this.#othersThan(pair.master);
      for (const client of this.#clients.values())
        for (const server of stay.includes(client.name) ? others : [pair.master])
          this.#cut(ms, client, server);
      this.#isolate(pair, ms);
    });
  }

  /** The master is cut from all other nodes. Clients reach all of them. */
  override cutPeers(_mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    return this.#onOwner((pair) => {
      if (pair.replica === undefined) return;
      const [from, to] = way === 'in' ? [pair.replica, pair.master] : [pair.master, pair.replica];
      this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
      this.#isolate(pair, ms);
    });
  }

  /** The pair that has the first range of slots. */
  get #owner(): SimRedisService {
    const { owner } = this.#viewOf(this.services[1]?.master) ?? {};
    const pair = this.services.find(({ master }) => master.name === owner);
    return pair ?? this.#first;
  }

  get #first(): SimRedisService {
    const [first] = this.services;
    if (first === undefined) throw new Error('a cluster needs masters');
    return first;
  }

  #onOwner(act: (pair: SimRedisService) => void): readonly string[] {
    const pair = this.#owner;
    if (pair.replica === undefined || !pair.master.isUp) return [];
    const { name } = pair.master;
    act(pair);
    return [name];
  }

  /** A cut-off master refuses keys from the moment at which its replica is promoted; then it becomes the replica. */
  #isolate(pair: SimRedisService, ms: number): void {
    const old = pair.master;
    if (ms <= NODE_TIMEOUT_MS) return;
    if (pair.replica !== undefined) this.#cut(ms, old, pair.replica);
    this.#world.after(NODE_TIMEOUT_MS, () => {
      if (pair.master !== old || pair.replica === undefined || !old.isUp) return;
      this.noteLoss(pair);
      const heal = pair.promoteBeside();
      const view = this.#viewOf(old);
      if (view !== undefined) view.isDown = true;
      this.#promoted(pair, old);
      this.#world.after(ms - NODE_TIMEOUT_MS, () => {
        heal();
        if (view !== undefined) view.isDown = false;
        this.#promoted(pair);
      });
    });
  }

  /** All nodes learn it, but one that is cut off. */
  #promoted(pair: SimRedisService, unaware?: SimRedisServer): void {
    for (const [name, { view }] of this.#guards) {
      if (name === unaware?.name) continue;
      view.owner = pair.master.name;
      view.replica = pair.replica?.name;
    }
  }

  #viewOf(server: SimRedisServer | undefined): SlotGuard['view'] | undefined {
    return server && this.#guards.get(server.name)?.view;
  }

  #cut(ms: number, from: SimProcess | SimRedisServer, to: SimRedisServer): void {
    this.#world.after(ms, this.network.cut(from, to));
  }

  #othersThan(server: SimRedisServer): readonly SimRedisServer[] {
    return this.#servers.filter((each) => each !== server);
  }

  get #servers(): readonly SimRedisServer[] {
    return this.services.flatMap(({ servers }) => servers);
  }

  #serverAt(name: string): SimRedisServer {
    const server = this.#servers.find((each) => each.name === name);
    if (server === undefined) throw new Error(`there is no server ${name}`);
    return server;
  }
}
