import type { Backend, FaultId, Host, MemoryLink, MemoryStore } from '@holdfast/core';
import type { Style } from '../draw/index.ts';
import type { Opening } from '../plant/index.ts';
import type { RealLock, Subject, SubjectEnv } from '../simulator/index.ts';

/** What a lock keeps its keys in. */
export type Needs = 'nothing' | 'redis' | 'zookeeper';

/** Real servers, as the laboratory starts them; what they can suffer, it says. */
export type RealServers =
  | 'none'
  | 'one-redis'
  | 'one-logged-redis'
  | 'redis-pair'
  | 'redis-sentinels'
  | 'five-redis'
  | 'five-logged-redis'
  | 'ensemble'
  | 'linked-ensemble'
  | 'one-zookeeper';

/** A lock on trial: everything that this house says of it, in one record. */
export interface LockUnderTest {
  readonly name: string;
  /** `debated` locks are in stories and known by name; no table has a column for them. */
  readonly kind: 'control' | 'lock' | 'exhibit' | 'debated';
  readonly needs: Needs;
  /** Each is a column. The first is the usual one. */
  readonly on: readonly [Deployment, ...Deployment[]];
  /** It also runs on any of these numbers of servers, as `name-N`. */
  readonly sizes?: { readonly min: number; readonly max: number };
  /** Opens it on servers that answer through our ports. Absent for the control. */
  readonly open?: (view: LockView, host: Host, options?: OpenOptions) => Promise<Backend>;
  /** Its configuration, as a service writes it, where its servers are at these addresses, `host:port`. */
  readonly service?: (addresses: readonly string[]) => Opening;
  /** What a fault on real servers has to know of it, beside its promises. */
  readonly played?: Omit<RealLock, 'renews'>;
  readonly promises: Promises;
  /** What its requests are called in a schedule. */
  readonly wire?: Pick<Subject, 'labels' | 'points' | 'requests'>;
  /** Absent for what is told apart by its name alone. */
  readonly style?: LockStyle;
  /** Absent where `holdfast gap` has nothing to measure. */
  readonly margin?: SafetyMargin;
  /** The smallest story of how it breaks, by fault; for what the matrix says nothing of. */
  readonly stories?: Readonly<Partial<Record<FaultId, string>>>;
}

/** A lock on certain servers: what a table has a column for. */
export interface Deployment {
  /** The id of the column; stable, for programs. */
  readonly id: string;
  /** How many servers the simulator gives it. Absent where only real servers have this column. */
  readonly nodes?: number;
  /** Where the laboratory tries it: each fault on the first that can show it. Absent: nowhere. */
  readonly real?: readonly RealServers[];
  /** Present if the laboratory measures other ttls there. */
  readonly dial?: TtlDial;
  /** The servers are masters, each with a replica. */
  readonly isReplicated?: true;
  /** It behaves as the usual one does: shown where time is taken. */
  readonly repeats?: true;
  /** The client library, where there is a choice. */
  readonly client?: string;
  /** One sentence for people who do not know it. */
  readonly meaning: string;
  /** Where it is not the lock's own. */
  readonly glyph?: string;
  /** Over which lines a narrow table writes its name, where that is not at its hyphen. */
  readonly heading?: readonly [string, string];
}

/** What the laboratory runs with each ttl: a fault in which a server dies. */
export interface TtlDial {
  readonly death: FaultId;
  /** Which server dies, and what follows; half a sentence. */
  readonly died: string;
  /** The server that the others replace by themselves. */
  readonly replaces?: 'leader' | 'master';
}

/** What a lock finds around it. A store in memory is there only where the simulator has made one. */
export interface LockView extends Omit<SubjectEnv, 'store' | 'link'> {
  readonly store?: MemoryStore | undefined;
  readonly link?: MemoryLink | undefined;
}

export interface OpenOptions {
  /** How long a waiter that is not notified sleeps, where the lock lets the caller choose. */
  readonly pollMs?: number;
}

/** What a lock promises, as the simulator demands it. */
export type Promises = Pick<
  Subject,
  'renews' | 'tokens' | 'fixedShare' | 'overruns' | 'tidy' | 'core' | 'patience' | 'keeps'
>;

export interface LockStyle extends Style {
  /** The glyph of other deployments, where they have none of their own. */
  readonly variant: string;
}

/** How much time a lock leaves between two holders. */
export interface SafetyMargin {
  /** Holders know before the servers do, always. */
  readonly isPromised: boolean;
  /** Under this fault its leases are relied on in one row only. */
  readonly only?: { readonly fault: FaultId; readonly variant: string };
  /** A sentence below the table. */
  readonly note?: string;
}
