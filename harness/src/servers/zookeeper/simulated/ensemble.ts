import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { World } from '../../../sim/world.ts';
import { Following } from './following.ts';
import { LeaderHolds } from './leader-holds.ts';
import { Leading } from './leading.ts';
import { SimZooKeeperServer } from './server.ts';
import type { Applied, EnsembleContext, Settings } from './server-context.ts';
import { ServerSession } from './session.ts';

export interface SimZooKeeperOptions {
  /** How many servers; 3 by default. One alone leads itself. */
  readonly size?: number;
  /** Their names are this and a number from 1; `n` by default. */
  readonly prefix?: string;
  /** 1 000 by default. Sessions end on the boundaries of ticks. */
  readonly tickMs?: number;
  /** After so many ticks of silence a leader and a follower give each other up; 5 by default. */
  readonly syncLimit?: number;
  /** Bounds of the session timeout: 2 and 20 ticks by default. */
  readonly minSessionMs?: number;
  readonly maxSessionMs?: number;
  /** How long votes are collected; 200 by default, as in ZooKeeper. */
  readonly electionMs?: number;
  /** How often a leader looks for empty containers; a minute by default. */
  readonly containerCheckMs?: number;
  /** How long followers take to apply what was committed; 0 by default. */
  readonly lagMs?: number;
  /** Told of who holds, as the leader has it. */
  readonly holds?: HoldLog;
}

const FIRST_EPOCH = 1;

/** The top byte of a session's id is the server it was opened at. */
const SERVER_BITS = 56n;

/** The part of an ensemble that its servers share. Not known to any machine: names, settings, and a quiet time. */
class SharedCompany implements EnsembleContext {
  readonly settings: Settings;
  members: readonly SimZooKeeperServer[] = [];
  connections = 0;
  applied: Applied | undefined;
  holds: LeaderHolds | undefined;
  readonly #sessions = new Map<bigint, ServerSession>();

  constructor(settings: Settings) {
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
 * A simulated ZooKeeper ensemble: one leader and its followers, a log that a majority has, local reads, sessions that
 * the leader alone ends. A model of what clients can tell, after ZooKeeper 3.8; the broadcast is ZAB's in outline, with
 * elections of one round. It begins with everybody up and the last server leading.
 */
export class SimZooKeeper {
  readonly servers: readonly SimZooKeeperServer[];
  readonly #company: EnsembleContext;

  constructor(world: World, network: Network, options: SimZooKeeperOptions = {}) {
    const { size = 3, prefix = 'n', tickMs = 1_000 } = options;
    const company = new SharedCompany({
      tickMs,
      syncLimit: options.syncLimit ?? 5,
      minSessionMs: options.minSessionMs ?? 2 * tickMs,
      maxSessionMs: options.maxSessionMs ?? 20 * tickMs,
      electionMs: options.electionMs ?? 200,
      containerCheckMs: options.containerCheckMs ?? 60_000,
      lagMs: options.lagMs ?? 0,
    });
    if (options.holds !== undefined) company.holds = new LeaderHolds(options.holds);
    this.servers = Array.from(
      { length: size },
      (_, at) => new SimZooKeeperServer(world, network, company, at + 1, `${prefix}${at + 1}`),
    );
    company.members = this.servers;
    this.#company = company;
    this.#enthrone();
  }

  /** Has `applied` told from now on of every change to what a server has. */
  watch(applied: Applied): void {
    this.#company.applied = applied;
  }

  /** The server that leads and is followed by a majority; during an election there is none. */
  get leader(): SimZooKeeperServer | undefined {
    return this.servers.find(
      ({ isUp, program }) => isUp && program.role instanceof Leading && program.role.isServing,
    );
  }

  /** Those that follow; in order of their names. */
  get followers(): readonly SimZooKeeperServer[] {
    return this.servers.filter(({ role }) => role === 'following');
  }

  #enthrone(): void {
    const last = this.servers.at(-1)?.program;
    if (last === undefined) throw new RangeError('an ensemble has at least one server');
    const leading = new Leading(last);
    last.enthrone(leading);
    const links = this.servers.slice(0, -1).map(({ program }) => {
      const following = new Following(program, last);
      program.enthrone(following);
      return following.reign(FIRST_EPOCH);
    });
    leading.reign(links, FIRST_EPOCH);
  }
}
