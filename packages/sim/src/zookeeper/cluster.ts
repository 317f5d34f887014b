import type { HoldLog } from '../hold-log.ts';
import { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import type { Cluster, Leaving, LeftoverOptions, View } from '../schedule/cluster.ts';
import { type Place, placesOf } from '../schedule/places.ts';
import { Queues } from '../schedule/queues.ts';
import { type ClientId, nodesIn, type Schedule, USUAL_ENSEMBLE } from '../schedule/schedule.ts';
import type { World } from '../world.ts';
import type { ClientSession } from './client-session.ts';
import { SimZooKeeper } from './ensemble.ts';
import { LEADER } from './leader-holds.ts';
import { simOpenSession } from './open-session.ts';
import type { Program } from './program.ts';
import type { SimZooKeeperServer } from './server.ts';

const OVER = Number.NEGATIVE_INFINITY;
const OPEN = Number.POSITIVE_INFINITY;

/** The servers of one ensemble, of which the last leads at first. */
export class ZooKeeperCluster implements Cluster {
  readonly network: Network;
  readonly lagMs: number;
  readonly hasQueue = true;
  readonly noticesSilence = true;
  readonly holds: HoldLog;
  readonly addresses: readonly (readonly string[])[] = [[LEADER]];
  readonly touches: readonly [] = [];
  readonly hasLostUnreplicated = false;
  readonly ensemble: SimZooKeeper;
  readonly #world: World;
  readonly #sessionMs: number;
  readonly #sessions = new Map<SimProcess, ClientSession[]>();

  constructor(
    world: World,
    schedule: Schedule,
    { size, holds }: { readonly size: number; readonly holds: HoldLog },
  ) {
    const { ttlMs, latencyMs, lagMs, ensemble = USUAL_ENSEMBLE } = schedule;
    const { ticks, syncLimit, reapMs } = ensemble;
    this.network = new Network(world, { latencyMs });
    this.lagMs = lagMs;
    this.holds = holds;
    this.#world = world;
    this.#sessionMs = ttlMs;
    this.ensemble = new SimZooKeeper(world, this.network, {
      size,
      tickMs: ttlMs / ticks,
      syncLimit,
      lagMs,
      containerCheckMs: reapMs,
      holds,
    });
  }

  get members(): readonly SimZooKeeperServer[] {
    return this.ensemble.servers;
  }

  view(process: SimProcess): View {
    const sessions: ClientSession[] = [];
    this.#sessions.set(process, sessions);
    const opened = (session: ClientSession): void => void sessions.push(session);
    const options = { timeoutMs: this.#sessionMs, opened };
    return {
      nodes: [],
      openSession: simOpenSession(process, this.ensemble, this.network, options),
    };
  }

  serving(mask: number): readonly SimZooKeeperServer[] {
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

  /** Those of the mask from the rest; all from each other where there is no rest. */
  cutPeers(mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    return this.#cutOff(this.serving(mask), ms, way);
  }

  votesOf(contender: string): number {
    const isOwn = (path: string): boolean => path.includes(`/${contender}-`);
    return this.members.filter((server) => server.hasPath(isOwn)).length;
  }

  /** Once the leader that a majority follows has deleted the node: followers hear of it later. */
  standsUntilMs(owner: string): number {
    const tree = this.#actingLeader()?.tree;
    if (tree === undefined) return OPEN;
    for (const [path] of tree.nodes) if (isPlaceOf(path, owner)) return OPEN;
    return OVER;
  }

  /** The end of a session is why the place in the queue is gone. */
  hasExpired(owner: string): boolean {
    const log = this.#actingLeader()?.machine.storage.log ?? [];
    const end = log.findLast(({ change }) => {
      if (change.kind === 'delete') return isPlaceOf(change.path, owner);
      return change.kind === 'closeSession' && change.paths.some((path) => isPlaceOf(path, owner));
    });
    return end?.change.kind === 'closeSession' && end.waiter === undefined;
  }

  placesOf(contenders: ReadonlyMap<string, string>): readonly Place[] {
    return placesOf(this.ensemble, contenders);
  }

  watchQueues(): Queues {
    const queues = new Queues(
      () => this.#world.nowMs,
      (session) => this.#clientOf(session),
    );
    this.ensemble.watch((...changed) => queues.look(...changed));
    return queues;
  }

  leftovers(at: Leaving, { members, processes }: LeftoverOptions): readonly string[] {
    const servers = this.members.filter((server) => members.includes(server));
    if (at === 'closed') return servers.flatMap((server) => leftAfterClose(server));
    const watches = processes.flatMap((process) => this.#watchesLeft(process));
    if (at === 'quit') return watches;
    return [...watches, ...servers.flatMap((server) => nodesLeft(server, '-lock-'))];
  }

  contents(): readonly string[] {
    return [];
  }

  /** Whose session it is. */
  #clientOf(session: bigint): string | undefined {
    for (const [{ name }, sessions] of this.#sessions)
      if (sessions.some(({ id }) => id === session)) return name;
    return undefined;
  }

  /** A server forgets what is no longer wanted. */
  #watchesLeft(process: SimProcess): readonly string[] {
    const watched = (this.#sessions.get(process) ?? []).flatMap(({ watching }) => watching);
    return watched.map((path) => `${process.name} still watches ${path}`);
  }

  #leaders(): readonly SimZooKeeperServer[] {
    const { leader } = this.ensemble;
    return leader === undefined ? [] : [leader];
  }

  /** Of several that believe they lead the one that was elected last. */
  #actingLeader(): Program | undefined {
    const programs = this.members
      .filter(({ role, isServing }) => role === 'leading' && isServing)
      .map(({ program }) => program);
    return programs.toSorted((a, b) => b.machine.storage.epoch - a.machine.storage.epoch)[0];
  }

  /** From those to the rest, or back; among all of them, from the first to the later ones, or back. */
  #cutOff(
    struck: readonly SimZooKeeperServer[],
    ms: number,
    way?: 'out' | 'in',
  ): readonly string[] {
    const { members } = this;
    const isAll = struck.length === members.length;
    if (struck.length === 0) return [];
    for (const [at, one] of members.entries())
      for (const other of members.slice(at + 1)) {
        if (!isAll && struck.includes(one) === struck.includes(other)) continue;
        const [within, beyond] = struck.includes(one) ? [one, other] : [other, one];
        const [from, to] = way === 'in' ? [beyond, within] : [within, beyond];
        this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
      }
    return struck.map(({ name }) => name);
  }
}

function isPlaceOf(path: string, owner: string): boolean {
  const [contender = ''] = owner.split(':');
  return path.includes(`/${contender}-lock-`);
}

function leftAfterClose(server: SimZooKeeperServer): readonly string[] {
  const { name, watches } = server;
  const watched = watches === 0 ? [] : [`watches are left on ${name}: ${watches}`];
  return [...nodesLeft(server), ...watched];
}

/** Nodes that end with a session, with this in their paths. */
function nodesLeft(server: SimZooKeeperServer, part = ''): readonly string[] {
  const paths = server.paths().filter((path) => {
    const owner = server.find(path)?.ephemeralOwner;
    return path.includes(part) && owner !== undefined && owner !== 0n;
  });
  return paths.map((path) => `the node ${path} is left on ${server.name}`);
}
