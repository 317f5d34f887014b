import { HoldLog } from '../../../sim/hold-log.ts';
import { Network, type NetworkOptions } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type {
  ClientView,
  Cluster,
  LeftoverMoment,
  LeftoverOptions,
  Observations,
} from '../../../sim/schedule/cluster.ts';
import {
  attemptOf,
  contenderOf,
  type LockKey,
  type ServerHold,
} from '../../../sim/schedule/holds.ts';
import { PlaceLog } from '../../../sim/schedule/place-log.ts';
import {
  type ClientId,
  nodeName,
  nodesIn,
  replicaName,
  type Schedule,
} from '../../../sim/schedule/schedule.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import { RedisHoldState } from './hold-state.ts';
import { HolderLog } from './holder-log.ts';
import { KeyChangeWatch, type KeyChangeWatchOptions } from './key-change-watch.ts';
import { simRedisNode } from './node.ts';
import { type QueueReading, queueOf } from './queue-of.ts';
import { SimRedisServer } from './server.ts';
import { SimRedisService } from './service.ts';
import type { SlotGuard } from './slots.ts';

export interface RedisClusterOptions {
  /** Number of addresses. */
  readonly size: number;
  /** True if a hold is stored at several addresses, each with another owner value of its contender. */
  readonly isShared: boolean;
  /** Labels of renewals. */
  readonly renewals: readonly string[];
  /** Present if waiters queue on the servers. */
  readonly queue?: QueueReading | undefined;
  /** Labels of commands that are sent for one hold only. */
  readonly forOneHold: KeyChangeWatchOptions['labels'];
  /** True if every master has a replica, whatever the schedule says. */
  readonly hasReplicas?: boolean;
  /** True if the addresses share their keys among them; else each stores its own. */
  readonly isOneStore?: boolean;
  /** By the name of a server, its slots. */
  readonly slotsOf?: (name: string) => SlotGuard;
  /** See {@link NetworkOptions.beside}. */
  readonly beside?: NetworkOptions['beside'];
}

/** Independent Redis addresses, each with one master or with a master and its replica. */
export class RedisCluster implements Cluster {
  readonly network: Network;
  readonly lagMs = 0;
  readonly hasQueue = false;
  readonly noticesSilence = false;
  readonly #world: World;
  readonly #schedule: Schedule;
  readonly #keyChanges: KeyChangeWatch;
  readonly #places: PlaceLog | undefined;
  readonly #log: HoldLog;
  readonly #holders: HolderLog | undefined;
  readonly #addresses: readonly (readonly string[])[];
  protected readonly services: readonly SimRedisService[];
  #hasLostUnreplicated = false;

  constructor(world: World, schedule: Schedule, options: RedisClusterOptions) {
    const { size, isShared, renewals, forOneHold, beside, slotsOf, isOneStore = false } = options;
    const hasReplicas = options.hasReplicas ?? schedule.replicas > 0;
    this.network = new Network(world, { latencyMs: schedule.latencyMs, beside });
    const { queue } = options;
    const places = queue && new PlaceLog();
    this.#places = places;
    this.#keyChanges = new KeyChangeWatch({
      labels: forOneHold,
      nowMs: () => world.nowMs,
      executed:
        places && (({ node, args }, engine) => places.executed(node, queueOf(engine, args, queue))),
    });
    this.#log = new HoldLog({
      nowMs: () => world.nowMs,
      renewals,
      holdOf: isShared ? contenderOf : (owner) => owner,
      attemptOf,
    });
    if (world.trace.isKept) this.#holders = new HolderLog(partsOf(world).kernel);
    this.#world = world;
    this.#schedule = schedule;
    const nodes = Array.from({ length: size }, (_, node) => node);
    this.services = nodes.map((node) => this.#service(node, hasReplicas, slotsOf));
    const addresses = this.services.map(({ servers }) => servers.map((each) => each.name));
    this.#addresses = isOneStore ? [addresses.flat()] : addresses;
  }

  get members(): readonly SimRedisServer[] {
    return this.services.map(({ master }) => master);
  }

  view(process: SimProcess): ClientView {
    // Only for schedules that re-point: a lock that checks its node after every reconnect sends more requests.
    const counts = this.#schedule.repointings !== undefined;
    const nodes = this.services.map((service) =>
      simRedisNode(process, service, this.network, { counts }),
    );
    return { nodes };
  }

  serving(mask: number): readonly SimRedisServer[] {
    return this.#at(mask).map(({ master }) => master);
  }

  failover(mask: number, ms: number): readonly string[] {
    return this.onPairs(mask, (pair) => {
      this.noteLoss(pair);
      pair.failover({ afterMs: ms });
    });
  }

  splitBrain(mask: number, ms: number, stay: readonly ClientId[]): readonly string[] {
    return this.onPairs(mask, (pair) => {
      this.noteLoss(pair);
      this.#world.after(ms, pair.splitBrain({ staysWithOld: stay.map((name) => ({ name })) }));
    });
  }

  /** Cuts masters from their replicas. */
  cutPeers(mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    return this.onPairs(mask, ({ master, replica }) => {
      if (replica === undefined) return;
      const [from, to] = way === 'in' ? [replica, master] : [master, replica];
      this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
    });
  }

  slow(mask: number, byMs: number, ms: number): readonly string[] {
    const slowed = this.serving(mask);
    this.#world.after(ms, this.network.slow(slowed, byMs));
    return slowed.map(({ name }) => name);
  }

  repoint(mask: number, ms: number, to: string): boolean {
    const target = this.services.find(({ name }) => name === to);
    if (target === undefined) return false;
    for (const service of this.#at(mask)) this.#world.after(ms, service.leadTo(target));
    return true;
  }

  holds(owner: string): RedisHoldState {
    return new RedisHoldState(
      {
        members: this.members,
        addresses: this.#addresses,
        log: this.#log,
        places: this.#places,
      },
      owner,
    );
  }

  serverHolds(lock: LockKey): readonly ServerHold[] {
    return this.#holders?.holdersOf(lock) ?? [];
  }

  observed(): Observations {
    return {
      touches: this.#keyChanges.all,
      storedValues: this.#log.storedValues,
      hasPromoted: this.#log.promoted.size > 0,
      hasLostUnreplicated: this.#hasLostUnreplicated,
    };
  }

  leftovers(at: LeftoverMoment, { members, processes, keeps }: LeftoverOptions): readonly string[] {
    const servers = this.members.filter((server) => members.includes(server));
    const keys = at === 'rest' && keeps !== undefined ? servers.flatMap(keysLeft(keeps)) : [];
    return [...keys, ...servers.flatMap((server) => subscriptionsLeft(server, processes))];
  }

  contents(number: (value: string) => string): readonly string[] {
    return this.members.flatMap(({ name, engine }) => {
      const lines = engine.snapshot().entries.map(([key, value, untilMs]) => {
        const what = typeof value === 'string' ? number(value) : '…';
        return `${name}: ${key} = ${what} until ${untilMs ?? 'forever'}`;
      });
      return lines.toSorted();
    });
  }

  #at(mask: number): readonly SimRedisService[] {
    return nodesIn(mask).flatMap((node) => this.services[node] ?? []);
  }

  protected onPairs(mask: number, act: (pair: SimRedisService) => void): readonly string[] {
    const pairs = this.#at(mask).filter(({ replica }) => replica !== undefined);
    const affected = pairs.map(({ master }) => master.name);
    for (const pair of pairs) act(pair);
    return affected;
  }

  protected noteLoss({ master, replica }: SimRedisService): void {
    // Keys without a ttl count too: the legacy recipe writes its stamp into the value.
    const known = new Set(replica?.engine.keysNow());
    if (master.engine.keysNow().some((key) => !known.has(key))) this.#hasLostUnreplicated = true;
  }

  #service(
    node: number,
    hasReplica: boolean,
    slotsOf: RedisClusterOptions['slotsOf'],
  ): SimRedisService {
    const { lagMs, replicaClockMs } = this.#schedule;
    const name = nodeName(node);
    const serverNamed = (server: string, wallOffsetMs: number): SimRedisServer =>
      new SimRedisServer(this.#world, server, {
        wallOffsetMs,
        keyChanges: this.#keyChanges,
        holds: this.#log,
        holders: this.#holders,
        slots: slotsOf?.(server),
      });
    const master = serverNamed(name, 0);
    if (!hasReplica) return new SimRedisService(this.#world, this.network, { name, master });
    const replica = serverNamed(replicaName(node), replicaClockMs);
    return new SimRedisService(this.#world, this.network, { name, master, replica, lagMs });
  }
}

function keysLeft(keeps: (key: string) => boolean): (server: SimRedisServer) => readonly string[] {
  return (server) => {
    const keys = server.keys().filter((key) => !keeps(key));
    return keys.map((key) => `the key ${key} is left on ${server.name}`);
  };
}

function subscriptionsLeft(
  { name, program }: SimRedisServer,
  processes: readonly SimProcess[],
): readonly string[] {
  const count = program.subscriptions(({ process }) => processes.includes(process));
  return count === 0 ? [] : [`subscriptions are left on ${name}: ${count}`];
}
