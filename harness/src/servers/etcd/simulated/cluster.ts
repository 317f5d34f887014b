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
import { type Schedule, USUAL_ENSEMBLE } from '../../../sim/schedule/schedule.ts';
import type { World } from '../../../sim/world.ts';
import { EnsembleCluster } from '../../ensemble-cluster.ts';
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
  /** The revision of a store without data; 1 by default. */
  readonly firstRevision?: bigint | undefined;
}

/** An election timeout, in ticks of a schedule's ensemble, and as a share of the ttl. */
const ELECTION_SHARE = 0.12;
const ELECTION_SHARE_MIN = 0.15;
const BEATS_PER_ELECTION = 3;

/** The servers of one etcd cluster. The last one leads first. */
export class EtcdCluster extends EnsembleCluster<SimEtcdServer> implements Cluster {
  readonly network: Network;
  readonly lagMs: number;
  readonly hasQueue = true;
  readonly noticesSilence = true;
  readonly etcd: SimEtcd;
  readonly #log: HoldLog;
  readonly #holds: LeaderHolds;
  readonly #heads: QueueHeads | undefined;
  #views = 0;

  constructor(world: World, schedule: Schedule, parts: EtcdClusterParts) {
    super(world);
    const { size, revokesUnasked, firstRevision } = parts;
    const { latencyMs, lagMs, ensemble } = schedule;
    this.network = new Network(world, { latencyMs });
    this.lagMs = lagMs;
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
      firstRevision,
      observer: observedBy(this.#holds, this.#heads),
    });
  }

  protected get leader(): SimEtcdServer | undefined {
    return this.etcd.leader;
  }

  get members(): readonly SimEtcdServer[] {
    return this.etcd.servers;
  }

  view(process: SimProcess): ClientView {
    // Clients spread: one of them begins with the leader.
    const first = this.#views++;
    return { nodes: [], etcd: new SimEtcdClient(process, this.members, this.network, first) };
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
