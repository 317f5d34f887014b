import { HoldLog } from '../../../sim/hold-log.ts';
import { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type {
  ClientView,
  Cluster,
  LeftoverMoment,
  LeftoverOptions,
  Observations,
} from '../../../sim/schedule/cluster.ts';
import { attemptOf, contenderOf, type ServerHold } from '../../../sim/schedule/holds.ts';
import {
  type ClientId,
  nodesIn,
  type Schedule,
  USUAL_ENSEMBLE,
} from '../../../sim/schedule/schedule.ts';
import type { World } from '../../../sim/world.ts';
import { SimEtcdClient } from './client.ts';
import type { EnsembleObserver } from './context.ts';
import { SimEtcd } from './ensemble.ts';
import { EtcdHoldState } from './hold-state.ts';
import { LeaderHolds } from './leader-holds.ts';
import { QueueHeads } from './queue-heads.ts';
import type { SimEtcdServer } from './server.ts';

export interface EtcdClusterParts {
  readonly size: number;
  /** True for releases in which a leader revokes expired leases without asking if it still leads. */
  readonly revokesUnasked?: boolean | undefined;
}

/** An election timeout, in ticks of a schedule's ensemble, and as a share of the ttl. */
const ELECTION_SHARE = 0.12;
const ELECTION_SHARE_MIN = 0.15;
const BEATS_PER_ELECTION = 3;

/** The servers of one etcd cluster. The last one leads first. */
export class EtcdCluster implements Cluster {
  readonly network: Network;
  readonly lagMs: number;
  readonly hasQueue = true;
  readonly noticesSilence = true;
  readonly etcd: SimEtcd;
  readonly #world: World;
  readonly #log: HoldLog;
  readonly #holds: LeaderHolds;
  readonly #heads: QueueHeads | undefined;
  #views = 0;

  constructor(world: World, schedule: Schedule, { size, revokesUnasked }: EtcdClusterParts) {
    const { latencyMs, lagMs, ensemble } = schedule;
    this.network = new Network(world, { latencyMs });
    this.lagMs = lagMs;
    this.#world = world;
    const nowMs = (): number => world.nowMs;
    this.#log = new HoldLog({ nowMs, renewals: [], holdOf: contenderOf, attemptOf });
    this.#holds = new LeaderHolds(this.#log);
    const holds = this.#holds;
    if (world.trace.isKept) {
      this.#heads = new QueueHeads(
        nowMs,
        (key) => holds.clientOf(key),
        (key) => holds.endOf(key),
      );
    }
    const electionMs = electionMsIn(schedule);
    this.etcd = new SimEtcd(world, this.network, {
      size,
      lagMs,
      electionMs,
      heartbeatMs: electionMs / BEATS_PER_ELECTION,
      compactMs: ensemble?.reapMs,
      luck: `${latencyMs}/${lagMs}`,
      revokesUnasked,
      observer: observedBy(this.#holds, this.#heads),
    });
  }

  get members(): readonly SimEtcdServer[] {
    return this.etcd.servers;
  }

  view(process: SimProcess): ClientView {
    // Clients spread: one of them begins with the leader.
    const first = this.#views++;
    return { nodes: [], etcd: new SimEtcdClient(process, this.members, this.network, first) };
  }

  serving(mask: number): readonly SimEtcdServer[] {
    return nodesIn(mask).flatMap((node) => this.members[node] ?? []);
  }

  failover(_mask: number, ms: number): readonly string[] {
    const leaders = this.#leaders();
    for (const leader of leaders) leader.restart({ data: 'durable', downMs: ms });
    return leaders.map(({ name }) => name);
  }

  splitBrain(_mask: number, ms: number, _stay: readonly ClientId[]): readonly string[] {
    return this.#cutOff(this.#leaders(), ms);
  }

  /** Cuts the servers of the mask from the others; from each other if the mask names all. */
  cutPeers(mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    return this.#cutOff(this.serving(mask), ms, way);
  }

  slow(mask: number, byMs: number, ms: number): readonly string[] {
    const slowed = this.serving(mask);
    this.#world.after(ms, this.network.slow(slowed, byMs));
    return slowed.map(({ name }) => name);
  }

  holds(owner: string): EtcdHoldState {
    const { leader, servers } = this.etcd;
    return new EtcdHoldState({ servers, leader }, { log: this.#log, holds: this.#holds }, owner);
  }

  serverHolds(): readonly ServerHold[] {
    return this.#heads?.all ?? [];
  }

  observed(): Observations {
    const { storedValues } = this.#log;
    return { touches: [], storedValues, hasPromoted: false, hasLostUnreplicated: false };
  }

  leftovers(at: LeftoverMoment, { members, processes }: LeftoverOptions): readonly string[] {
    const servers = this.members.filter((server) => members.includes(server));
    // A client that never runs again keeps its watch for as long as its connection.
    const watches = processes.flatMap((process) => watchesLeft(servers, process));
    return at === 'quit' ? watches : [...watches, ...servers.flatMap(keysLeft)];
  }

  contents(): readonly string[] {
    return [];
  }

  #leaders(): readonly SimEtcdServer[] {
    const { leader } = this.etcd;
    return leader === undefined ? [] : [leader];
  }

  /** Cuts these servers from the others, or one way only; if they are all, each from the later ones. */
  #cutOff(affected: readonly SimEtcdServer[], ms: number, way?: 'out' | 'in'): readonly string[] {
    const { members } = this;
    const isAll = affected.length === members.length;
    for (const [at, one] of members.entries())
      for (const other of affected.length === 0 ? [] : members.slice(at + 1)) {
        if (!isAll && affected.includes(one) === affected.includes(other)) continue;
        const [inside, outside] = affected.includes(one) ? [one, other] : [other, one];
        const [from, to] = way === 'in' ? [outside, inside] : [inside, outside];
        this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
      }
    return affected.map(({ name }) => name);
  }
}

/** Shorter where a schedule's ensemble notices a silent leader earlier. Leases need one and a half of it. */
function electionMsIn({ ttlMs, ensemble = USUAL_ENSEMBLE }: Schedule): number {
  const share = (ELECTION_SHARE * ensemble.syncLimit) / ensemble.ticks;
  return Math.round(ttlMs * Math.max(ELECTION_SHARE_MIN, share));
}

function observedBy(holds: LeaderHolds, heads: QueueHeads | undefined): EnsembleObserver {
  if (heads === undefined) return holds;
  return {
    applied(program, entry, result) {
      holds.applied(program, entry, result);
      heads.update(program);
    },
    leads: (program) => holds.leads(program),
    extended: (...args) => holds.extended(...args),
    replaced: (program) => heads.update(program),
  };
}

function watchesLeft(servers: readonly SimEtcdServer[], process: SimProcess): readonly string[] {
  const watched = servers.flatMap((server) => server.watchedBy(process));
  return watched.map((key) => `${process.name} still watches ${key}`);
}

/** Keys that end with a lease. */
function keysLeft({ name, store }: SimEtcdServer): readonly string[] {
  const keys = store.keys.filter(({ lease }) => lease !== 0n);
  return keys.map(({ key }) => `the key ${key} is left on ${name}`);
}
