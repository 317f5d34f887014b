import type { RedisNode } from '@holdfast/redis/port';
import type { OpenSession } from '@holdfast/zk/port';
import { HoldLog } from '../hold-log.ts';
import { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import { simRedisNode } from '../redis/node.ts';
import { SimRedisServer } from '../redis/server.ts';
import { SimRedisService } from '../redis/service.ts';
import { TouchWatch } from '../redis/touch-watch.ts';
import type { World } from '../world.ts';
import type { ClientSession } from '../zookeeper/client-session.ts';
import { SimZooKeeper } from '../zookeeper/ensemble.ts';
import { simOpenSession } from '../zookeeper/open-session.ts';
import type { SimZooKeeperServer } from '../zookeeper/server.ts';
import { attemptOf, contenderOf, isOf } from './owner-of.ts';
import {
  type ClientId,
  nodeName,
  nodesIn,
  replicaName,
  type Schedule,
  USUAL_ENSEMBLE,
} from './schedule.ts';
import type { Subject } from './subject.ts';

/** What any server can suffer alike. */
export type SimServer = SimRedisServer | SimZooKeeperServer;

/** The servers of one run, and the network between them and the clients. */
export class Machines {
  readonly network: Network;
  /** Where the lock on trial uses one; there are no Redis nodes then. */
  readonly ensemble: SimZooKeeper | undefined;
  /** What reached the holds of others. */
  readonly touches: TouchWatch;
  /** What the servers' own records say of every hold. */
  readonly holds: HoldLog;
  /** Whether a master was given up that had a key which its replica had not heard of. */
  hasLostUnreplicated = false;
  readonly #world: World;
  readonly #schedule: Schedule;
  readonly #services: readonly SimRedisService[];
  readonly #sessions = new Map<SimProcess, ClientSession[]>();

  /** Only as many as the lock on trial uses: a fault of the others could not matter. */
  constructor(world: World, schedule: Schedule, subject: Subject) {
    const { nodes, ensemble = false } = subject;
    this.touches = new TouchWatch({ labels: forOneHold(subject), nowMs: () => world.nowMs });
    this.holds = new HoldLog({
      nowMs: () => world.nowMs,
      renewals: subject.labels?.['renew'] ?? ['renew'],
      holdOf: ensemble || nodes > 1 ? contenderOf : (owner) => owner,
      // A queue has places, and no owner values.
      attemptOf: ensemble ? () => 0 : attemptOf,
    });
    this.network = new Network(world, { latencyMs: schedule.latencyMs });
    this.#world = world;
    this.#schedule = schedule;
    this.ensemble = ensemble ? this.#assemble(nodes) : undefined;
    const count = ensemble ? 0 : Math.min(schedule.nodes, nodes);
    this.#services = Array.from({ length: count }, (_, node) => this.#service(node));
  }

  nodesFor(process: SimProcess): readonly RedisNode[] {
    // Only where it can matter: a lock that looks anew behind every connection asks more of its nodes.
    const counts = this.#schedule.repointings !== undefined;
    return this.#services.map((service) =>
      simRedisNode(process, service, this.network, { counts }),
    );
  }

  /** Undefined where there is no ensemble. */
  openSessionFor(process: SimProcess): OpenSession | undefined {
    const { ttlMs } = this.#schedule;
    if (this.ensemble === undefined) return undefined;
    const sessions: ClientSession[] = [];
    this.#sessions.set(process, sessions);
    const opened = (session: ClientSession): void => void sessions.push(session);
    return simOpenSession(process, this.ensemble, this.network, { timeoutMs: ttlMs, opened });
  }

  /** Whose session it is. */
  clientOf(session: bigint): string | undefined {
    for (const [{ name }, sessions] of this.#sessions)
      if (sessions.some(({ id }) => id === session)) return name;
    return undefined;
  }

  /** The paths that sessions of a process watch: a server forgets what is no longer wanted. */
  watchedBy(process: SimProcess): readonly string[] {
    return (this.#sessions.get(process) ?? []).flatMap(({ watching }) => watching);
  }

  /** The addresses of a mask. */
  at(mask: number): readonly SimRedisService[] {
    return nodesIn(mask).flatMap((node) => this.#services[node] ?? []);
  }

  /** Undefined where the lock on trial uses no such node. */
  address(name: string): SimRedisService | undefined {
    return this.#services.find((service) => service.name === name);
  }

  /** The servers that serve now at the addresses of a mask. */
  serving(mask: number): readonly SimServer[] {
    const { ensemble } = this;
    if (ensemble === undefined) return this.at(mask).map(({ master }) => master);
    return nodesIn(mask).flatMap((node) => ensemble.servers[node] ?? []);
  }

  /** All that serve now. */
  get all(): readonly SimServer[] {
    const count = this.ensemble?.servers.length ?? this.#services.length;
    return this.serving(2 ** count - 1);
  }

  /** By name. */
  find(name: string): SimServer | undefined {
    return this.all.find((server) => server.name === name);
  }

  /**
   * Masters die before they have replicated, and their replicas take over after `ms`; of an ensemble the leader dies, with
   * what it has not told the others, and is back then.
   * @returns whom it struck
   */
  failover(mask: number, ms: number): readonly string[] {
    if (this.ensemble !== undefined) {
      const leaders = this.#leaders();
      for (const leader of leaders) leader.restart({ data: 'durable', downMs: ms });
      return leaders.map(({ name }) => name);
    }
    return this.#strikePairs(mask, (pair) => {
      this.#noteLoss(pair);
      pair.failover({ afterMs: ms });
    });
  }

  /**
   * The same, but the old master lives on for those who `stay`; of an ensemble the leader does, cut from the others.
   * @returns whom it struck
   */
  splitBrain(mask: number, ms: number, stay: readonly ClientId[]): readonly string[] {
    if (this.ensemble !== undefined) return this.#cutOff(this.#leaders(), ms);
    return this.#strikePairs(mask, (pair) => {
      this.#noteLoss(pair);
      this.#world.after(ms, pair.splitBrain({ stays: stay.map((name) => ({ name })) }));
    });
  }

  /**
   * Masters are cut from their replicas; servers of an ensemble from the rest, all from each other where there is no rest.
   * @param way one way alone: nothing gets `out` of them, or nothing gets `in`
   * @returns whom it struck
   */
  cutPeers(mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    const { ensemble } = this;
    if (ensemble !== undefined)
      return this.#cutOff(
        nodesIn(mask).flatMap((node) => ensemble.servers[node] ?? []),
        ms,
        way,
      );
    return this.#strikePairs(mask, ({ master, replica }) => {
      if (replica === undefined) return;
      const [from, to] = way === 'in' ? [replica, master] : [master, replica];
      this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
    });
  }

  #strikePairs(mask: number, act: (pair: SimRedisService) => void): readonly string[] {
    const pairs = this.at(mask).filter(({ replica }) => replica !== undefined);
    const struck = pairs.map(({ master }) => master.name);
    for (const pair of pairs) act(pair);
    return struck;
  }

  #leaders(): readonly SimZooKeeperServer[] {
    const leader = this.ensemble?.leader;
    return leader === undefined ? [] : [leader];
  }

  /** From those to the rest, or back; among all of them, from the first to the later ones, or back. */
  #cutOff(
    struck: readonly SimZooKeeperServer[],
    ms: number,
    way?: 'out' | 'in',
  ): readonly string[] {
    const servers = this.ensemble?.servers ?? [];
    const isAll = struck.length === servers.length;
    if (struck.length === 0) return [];
    for (const [at, one] of servers.entries())
      for (const other of servers.slice(at + 1)) {
        if (!isAll && struck.includes(one) === struck.includes(other)) continue;
        const [within, beyond] = struck.includes(one) ? [one, other] : [other, one];
        const [from, to] = way === 'in' ? [beyond, within] : [within, beyond];
        this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
      }
    return struck.map(({ name }) => name);
  }

  #noteLoss({ master, replica }: SimRedisService): void {
    // Also of keys without a ttl: the legacy recipe writes its stamp into the value.
    const known = new Set(replica?.engine.keysNow());
    if (master.engine.keysNow().some((key) => !known.has(key))) this.hasLostUnreplicated = true;
  }

  /** At how many addresses something stands of what this contender wrote. */
  votesOf(contender: string): number {
    if (this.ensemble !== undefined) {
      const isOwn = (path: string): boolean => path.includes(`/${contender}-`);
      return this.ensemble.servers.filter((server) => server.hasPath(isOwn)).length;
    }
    const isOwn = ({ master }: SimRedisService): boolean =>
      master.engine.snapshot().entries.some(([, value]) => isOf(value, contender));
    return this.#services.filter(isOwn).length;
  }

  /** As many servers as the lock says; the last one leads at first. */
  #assemble(size: number): SimZooKeeper {
    const { ttlMs, lagMs, ensemble = USUAL_ENSEMBLE } = this.#schedule;
    const { ticks, syncLimit, reapMs } = ensemble;
    return new SimZooKeeper(this.#world, this.network, {
      size,
      tickMs: ttlMs / ticks,
      syncLimit,
      lagMs,
      containerCheckMs: reapMs,
      holds: this.holds,
    });
  }

  #service(node: number): SimRedisService {
    const { replicas, lagMs, replicaClockMs } = this.#schedule;
    const name = nodeName(node);
    const { touches, holds } = this;
    const master = new SimRedisServer(this.#world, name, { touches, holds });
    if (replicas === 0) return new SimRedisService(this.#world, this.network, { name, master });
    const wall = { wallOffsetMs: replicaClockMs, touches, holds };
    const replica = new SimRedisServer(this.#world, replicaName(node), wall);
    return new SimRedisService(this.#world, this.network, { name, master, replica, lagMs });
  }
}

/** What is sent for one hold alone, unless the lock acquires by the same command. */
function forOneHold({ labels = {} }: Subject): readonly string[] {
  const { acquire = [], renew = ['renew'], release = ['release'] } = labels;
  return [...renew, ...release, 'undo'].filter((label) => !acquire.includes(label));
}
