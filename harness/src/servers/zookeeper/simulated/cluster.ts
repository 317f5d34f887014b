import type { openSessions } from '@holdfast/zk/network';
import type { ZooKeeperSession } from '@holdfast/zk/port';
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
import { contenderOf, type ServerHold } from '../../../sim/schedule/holds.ts';
import { type Schedule, USUAL_ENSEMBLE } from '../../../sim/schedule/schedule.ts';
import type { World } from '../../../sim/world.ts';
import { EnsembleCluster } from '../../ensemble-cluster.ts';
import { SimZooKeeper } from './ensemble.ts';
import { ZooKeeperHoldState } from './hold-state.ts';
import { simOpenSession } from './open-session.ts';
import { QueueHeads } from './queue-heads.ts';
import type { SimZooKeeperServer } from './server.ts';

export interface ZooKeeperClusterParts {
  readonly size: number;
  /** The client that opens sessions, if not the shipped one. */
  readonly openSessions?: typeof openSessions | undefined;
}

/** The servers of one ensemble. The last one leads first. */
export class ZooKeeperCluster extends EnsembleCluster<SimZooKeeperServer> implements Cluster {
  readonly network: Network;
  readonly lagMs: number;
  readonly hasQueue = true;
  readonly noticesSilence = true;
  readonly ensemble: SimZooKeeper;
  readonly #log: HoldLog;
  readonly #heads: QueueHeads | undefined;
  readonly #sessionMs: number;
  readonly #openSessions: typeof openSessions | undefined;
  readonly #sessions = new Map<SimProcess, ZooKeeperSession[]>();

  constructor(world: World, schedule: Schedule, { size, openSessions }: ZooKeeperClusterParts) {
    super(world);
    const { ttlMs, latencyMs, lagMs, ensemble = USUAL_ENSEMBLE } = schedule;
    const { ticks, syncLimit, reapMs } = ensemble;
    this.network = new Network(world, { latencyMs });
    this.lagMs = lagMs;
    this.#log = new HoldLog({
      nowMs: () => world.nowMs,
      renewals: [],
      holdOf: contenderOf,
      // A queue has nodes and no owner values.
      attemptOf: () => 0,
    });
    this.#sessionMs = ttlMs;
    this.#openSessions = openSessions;
    this.ensemble = new SimZooKeeper(world, this.network, {
      size,
      tickMs: ttlMs / ticks,
      syncLimit,
      lagMs,
      containerCheckMs: reapMs,
      holds: this.#log,
    });
    if (!world.trace.isKept) return;
    const heads = new QueueHeads(
      () => world.nowMs,
      (session) => this.#clientOf(session),
    );
    this.ensemble.watch((...changed) => heads.update(...changed));
    this.#heads = heads;
  }

  protected get leader(): SimZooKeeperServer | undefined {
    return this.ensemble.leader;
  }

  get members(): readonly SimZooKeeperServer[] {
    return this.ensemble.servers;
  }

  view(process: SimProcess): ClientView {
    const sessions: ZooKeeperSession[] = [];
    this.#sessions.set(process, sessions);
    const opened = (session: ZooKeeperSession): void => void sessions.push(session);
    const options = { timeoutMs: this.#sessionMs, opened, openSessions: this.#openSessions };
    return {
      nodes: [],
      openSession: simOpenSession(process, this.ensemble, this.network, options),
    };
  }

  holds(owner: string): ZooKeeperHoldState {
    return new ZooKeeperHoldState(this.members, this.#log, owner);
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
    if (at === 'closed') return servers.flatMap((server) => leftAfterClose(server));
    const watches = processes.flatMap((process) => watchesLeft(servers, process));
    if (at === 'quit') return watches;
    return [...watches, ...servers.flatMap((server) => nodesLeft(server, '-lock-'))];
  }

  contents(): readonly string[] {
    return [];
  }

  /** Returns the client that opened the session. */
  #clientOf(session: bigint): string | undefined {
    for (const [{ name }, sessions] of this.#sessions)
      if (sessions.some(({ id }) => id === session)) return name;
    return undefined;
  }
}

function watchesLeft(
  servers: readonly SimZooKeeperServer[],
  process: SimProcess,
): readonly string[] {
  const watched = servers.flatMap((server) => server.watchedBy(process));
  return watched.map((path) => `${process.name} still watches ${path}`);
}

function leftAfterClose(server: SimZooKeeperServer): readonly string[] {
  const { name, watches } = server;
  const watched = watches === 0 ? [] : [`watches are left on ${name}: ${watches}`];
  return [...nodesLeft(server), ...watched];
}

/** Nodes of sessions with `part` in their paths. */
function nodesLeft(server: SimZooKeeperServer, part = ''): readonly string[] {
  const paths = server.paths().filter((path) => {
    const owner = server.find(path)?.ephemeralOwner;
    return path.includes(part) && owner !== undefined && owner !== 0n;
  });
  return paths.map((path) => `the node ${path} is left on ${server.name}`);
}
