import type { Network } from '../../../sim/net/network.ts';
import type { World } from '../../../sim/world.ts';
import type { EnsembleContext, EnsembleObserver, EnsembleSettings } from './context.ts';
import { SimEtcdServer } from './server.ts';

export interface SimEtcdOptions {
  /** The number of servers; 3 by default. One alone leads itself. */
  readonly size?: number | undefined;
  /** Servers are named by this and a number from 1; `n` by default. */
  readonly prefix?: string | undefined;
  /** 100 by default, as in etcd. */
  readonly heartbeatMs?: number | undefined;
  /** 300 by default: then leases last a second at least. */
  readonly electionMs?: number | undefined;
  /** The time that followers take to apply committed entries; 0 by default. */
  readonly lagMs?: number | undefined;
  /** The interval at which a leader records what is left of leases that last longer; never by default, as in etcd. */
  readonly checkpointMs?: number | undefined;
  /** The interval at which a leader forgets what is older than now; never by default. */
  readonly compactMs?: number | undefined;
  /** True for servers before 3.4.31, 3.5.13 and 3.6, whose leader revokes expired leases without asking if it still leads. */
  readonly revokesUnasked?: boolean | undefined;
  /** The revision of a store without data; 1 by default, as in etcd. */
  readonly firstRevision?: bigint | undefined;
  /** Draws how long each server waits for a leader; equal ones draw equally. */
  readonly luck?: string | undefined;
  readonly observer?: EnsembleObserver | undefined;
}

const FIRST_TERM = 2;

/** The state that no machine knows: names and settings. */
class SharedEnsemble implements EnsembleContext {
  readonly settings: EnsembleSettings;
  readonly observer: EnsembleObserver | undefined;
  members: readonly SimEtcdServer[] = [];

  constructor(settings: EnsembleSettings, observer: EnsembleObserver | undefined) {
    this.settings = settings;
    this.observer = observer;
  }

  get quorum(): number {
    return Math.floor(this.members.length / 2) + 1;
  }

  get isDamaged(): boolean {
    return this.members.filter(({ log }) => log.isDamaged).length >= this.quorum;
  }
}

/**
 * A simulated etcd cluster: a leader elected by Raft, followers that apply later, reads that a majority confirms,
 * keep-alives that it does not, leases that expire by the leader's monotonic clock, and watches on each server. It models
 * what clients can observe. At first all servers are up and the last one leads. What it does not have it refuses by its types:
 * changes of membership, users, other requests than those of the port.
 */
export class SimEtcd {
  readonly servers: readonly SimEtcdServer[];

  constructor(world: World, network: Network, options: SimEtcdOptions = {}) {
    const { size = 3, prefix = 'n', heartbeatMs = 100, electionMs = 300, lagMs = 0 } = options;
    if (size < 1) throw new RangeError('a cluster needs at least one server');
    const { checkpointMs, compactMs, revokesUnasked = false, luck = '', observer } = options;
    const { firstRevision } = options;
    const settings = {
      heartbeatMs,
      electionMs,
      lagMs,
      checkpointMs,
      compactMs,
      revokesUnasked,
      firstRevision,
      luck,
    };
    const context = new SharedEnsemble(settings, observer);
    this.servers = Array.from(
      { length: size },
      (_, at) => new SimEtcdServer(world, network, context, at + 1, `${prefix}${at + 1}`),
    );
    context.members = this.servers;
    for (const { program } of this.servers) program.raft.beginInTerm(FIRST_TERM, size);
  }

  /** The leader that was elected last; undefined without one that is up. */
  get leader(): SimEtcdServer | undefined {
    const leading = this.servers.filter(({ leads }) => leads);
    return leading.toSorted((a, b) => b.log.term - a.log.term)[0];
  }

  /** Forgets what is older than now, on all servers: watches that would have to tell it are ended. */
  compact(): void {
    this.leader?.program.propose({ kind: 'compact' });
  }
}
