import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { World } from '../../../sim/world.ts';
import { Following } from './following.ts';
import { LeaderHolds } from './leader-holds.ts';
import { Leading } from './leading.ts';
import { SimZooKeeperServer } from './server.ts';
import type { AppliedListener, EnsembleContext, EnsembleSettings } from './server-context.ts';
import { ServerSession } from './session.ts';

export interface SimZooKeeperOptions {
  /** Number of servers; 3 by default. A single server leads itself. */
  readonly size?: number;
  /** Servers are named by this and a number from 1; `n` by default. */
  readonly prefix?: string;
  /** 1 000 by default. Sessions expire at tick boundaries. */
  readonly tickMs?: number;
  /** After this many silent ticks a leader and a follower disconnect; 5 by default. */
  readonly syncLimit?: number;
  /** Bounds of the session timeout: 2 and 20 ticks by default. */
  readonly minSessionMs?: number;
  readonly maxSessionMs?: number;
  /** Time for collecting votes; 200 by default, as in ZooKeeper. */
  readonly electionMs?: number;
  /** Interval at which a leader deletes empty containers; a minute by default. */
  readonly containerCheckMs?: number;
  /** Time that followers take to apply committed transactions; 0 by default. */
  readonly lagMs?: number;
  /** Records the holders by the leader's state. */
  readonly holds?: HoldLog;
}

const FIRST_EPOCH = 1;

/** The top byte of a session id is the server that opened the session. */
const SERVER_BITS = 56n;

/** The state that all servers of an ensemble share, which no machine knows: names, settings, number of connections. */
class SharedEnsemble implements EnsembleContext {
  readonly settings: EnsembleSettings;
  members: readonly SimZooKeeperServer[] = [];
  connections = 0;
  applied: AppliedListener | undefined;
  holds: LeaderHolds | undefined;
  readonly #sessions = new Map<bigint, ServerSession>();

  constructor(settings: EnsembleSettings) {
    this.settings = settings;
  }

  get quorum(): number {
    return Math.floor(this.members.length / 2) + 1;
  }

  newSession(server: number, timeoutMs: number): ServerSession {
    const id = (BigInt(server) << SERVER_BITS) + BigInt(this.#sessions.size + 1);
    const session = new ServerSession(id, timeoutMs);
    this.#sessions.set(id, session);
    return session;
  }

  sessionOf(id: bigint, password: Uint8Array): ServerSession | undefined {
    const session = this.#sessions.get(id);
    return session?.isProvenBy(password) === true ? session : undefined;
  }

  wake(): void {
    for (const { program } of this.members) program.role.wake();
  }
}

/**
 * A simulated ZooKeeper ensemble: one leader with followers, a log that a majority has, local reads, and sessions that
 * only the leader ends. It models what clients can observe of ZooKeeper 3.8. Its broadcast follows ZAB in outline, with
 * elections of one round. At first all servers are up and the last one leads.
 */
export class SimZooKeeper {
  readonly servers: readonly SimZooKeeperServer[];
  readonly #context: EnsembleContext;

  constructor(world: World, network: Network, options: SimZooKeeperOptions = {}) {
    const { size = 3, prefix = 'n', tickMs = 1_000 } = options;
    const context = new SharedEnsemble({
      tickMs,
      syncLimit: options.syncLimit ?? 5,
      minSessionMs: options.minSessionMs ?? 2 * tickMs,
      maxSessionMs: options.maxSessionMs ?? 20 * tickMs,
      electionMs: options.electionMs ?? 200,
      containerCheckMs: options.containerCheckMs ?? 60_000,
      lagMs: options.lagMs ?? 0,
    });
    if (options.holds !== undefined) context.holds = new LeaderHolds(options.holds);
    this.servers = Array.from(
      { length: size },
      (_, at) => new SimZooKeeperServer(world, network, context, at + 1, `${prefix}${at + 1}`),
    );
    context.members = this.servers;
    this.#context = context;
    this.#assignRoles();
  }

  /** Calls `applied` on every later change of a server's state. */
  watch(applied: AppliedListener): void {
    this.#context.applied = applied;
  }

  /** The server that leads and is followed by a majority; undefined during an election. */
  get leader(): SimZooKeeperServer | undefined {
    return this.servers.find(
      ({ isUp, program }) => isUp && program.role instanceof Leading && program.role.isServing,
    );
  }

  /** The servers that follow, in order of their names. */
  get followers(): readonly SimZooKeeperServer[] {
    return this.servers.filter(({ role }) => role === 'following');
  }

  #assignRoles(): void {
    const last = this.servers.at(-1)?.program;
    if (last === undefined) throw new RangeError('an ensemble needs at least one server');
    const leading = new Leading(last);
    last.assignRole(leading);
    const links = this.servers.slice(0, -1).map(({ program }) => {
      const following = new Following(program, last);
      program.assignRole(following);
      return following.beginInStep(FIRST_EPOCH);
    });
    leading.beginInStep(links, FIRST_EPOCH);
  }
}
