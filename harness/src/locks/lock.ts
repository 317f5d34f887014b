import type { Backend, FaultId, Host, MemoryLink, MemoryStore } from '@holdfast/core/backend';
import type { Style } from '../draw/index.ts';
import type { Opening } from '../real/index.ts';
import type {
  LivenessBounds,
  RealLock,
  ServerKindName,
  Subject,
  SubjectEnv,
  Topology,
} from '../simulator/index.ts';

/** The kind of store that a lock needs. */
export type Needs = 'nothing' | ServerKindName;

/** Deployments of real servers in the laboratory, which decides what faults they support. */
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
  | 'one-zookeeper'
  | 'etcd-ensemble'
  | 'one-postgres'
  | 'forgetful-postgres'
  | 'postgres-pair'
  | 'synchronous-postgres';

/** A lock under test: all that the harness knows of it, in one record. */
export interface LockUnderTest {
  readonly name: string;
  /** `debated` locks are in stories and found by name; no table has a column for them. */
  readonly kind: 'control' | 'lock' | 'exhibit' | 'debated';
  readonly needs: Needs;
  /** The deployments; each is a column, and the first is the usual one. */
  readonly on: readonly [Deployment, ...Deployment[]];
  /** Other numbers of servers that it runs on, as `name-N`. */
  readonly sizes?: { readonly min: number; readonly max: number };
  /** Opens it on servers behind our ports. Absent for the control. */
  readonly open?: (view: LockView, host: Host, options?: OpenOptions) => Promise<Backend>;
  /** Loads its recipe, which a page needs only for a lock that was chosen. */
  readonly load?: () => Promise<void>;
  /** Present if its files can be edited in the playground. */
  readonly edited?: EditedPackage;
  /** The configuration of a service that uses it with servers at these addresses, `host:port`. */
  readonly service?: (addresses: readonly string[]) => Opening;
  /** Further properties that faults on real servers need. */
  readonly played?: Omit<RealLock, 'renews'>;
  readonly promises: Promises;
  /** The labels of its requests in a schedule, and what its servers need to understand them. */
  readonly wire?: Pick<Subject, 'labels' | 'points' | 'requests' | 'schema'>;
  /** Present if its clients hold in modes. */
  readonly modeOf?: Subject['modeOf'];
  /** Absent for a lock that only its name distinguishes. */
  readonly style?: LockStyle;
  /** Absent if `holdfast margin` has nothing to measure. */
  readonly margin?: SafetyMargin;
  /** The minimal story that shows it break, by fault; for locks outside the matrix. */
  readonly stories?: Readonly<Partial<Record<FaultId, string>>>;
}

/** A lock on certain servers: a column of a table. */
export interface Deployment {
  /** The id of the column; stable, for programs. */
  readonly id: string;
  /** The number of simulated servers. Absent if the column exists only on real servers. */
  readonly nodes?: number;
  /** What is around one simulated server. A column that has it and no `nodes` is only in rows in which it matters. */
  readonly topology?: Topology;
  /** With a topology: its own bounds, since finding the server takes time. */
  readonly patience?: LivenessBounds;
  /** The real servers of the laboratory: each fault runs on the first that can show it. Absent: none. */
  readonly real?: readonly RealServers[];
  /** Present if the laboratory measures other ttls there. */
  readonly dial?: TtlDial;
  /**
   * The column whose cells in the matrix it shares, since it only adds a promise to that one. It has no column of its own.
   */
  readonly like?: string;
  /** How it is opened, if not as its lock. */
  readonly open?: LockUnderTest['open'];
  /** How a service configures it, if not as its lock. */
  readonly service?: LockUnderTest['service'];
  /** Present if its waiters queue on a server; see `Subject`. */
  readonly waiterOf?: Subject['waiterOf'];
  /** The servers are masters, each with a replica. */
  readonly isReplicated?: true;
  /** True if it behaves like the usual one: shown only on request or with exact budgets. */
  readonly repeats?: true;
  /** The client library, if there is a choice. */
  readonly client?: string;
  /** One sentence that introduces it. */
  readonly meaning: string;
  /** The glyph, if it is not the lock's own. */
  readonly glyph?: string;
  /** The two lines of its name in a narrow table, if they are not split at its hyphen. */
  readonly heading?: readonly [string, string];
}

/** The fault of the laboratory’s ttl series, in which a server dies. */
export interface TtlDial {
  readonly death: FaultId;
  /** Which server dies, and what follows; half a sentence. */
  readonly died: string;
  /** The server that the others replace by themselves. */
  readonly replaces?: 'leader' | 'master';
}

/** The environment of a lock. Only the simulator provides a store in memory. */
export interface LockView extends Omit<SubjectEnv, 'store' | 'link'> {
  readonly store?: MemoryStore | undefined;
  readonly link?: MemoryLink | undefined;
}

/** The files of a lock, for somebody who changes them. */
export interface EditedPackage {
  /** Of our packages, or `exhibits`. */
  readonly package: string;
  readonly entry: string;
  /** Files that exist once, because others make and recognise their errors: the port. */
  readonly shared?: Readonly<Record<string, object>>;
  /** Opens the lock by the module that its entry became. */
  readonly open: (module: object, view: LockView, host: Host) => Promise<Backend>;
}

export interface OpenOptions {
  /** The polling interval of a waiter without notifications, if the lock has such an option. */
  readonly pollMs?: number;
}

/** The promises of a lock that the simulator checks. */
export type Promises = Pick<
  Subject,
  | 'renews'
  | 'tokens'
  | 'fixedShare'
  | 'overruns'
  | 'tidy'
  | 'core'
  | 'patience'
  | 'keeps'
  | 'modeWaiterOf'
>;

export interface LockStyle extends Style {
  /** The glyph of other deployments without their own. */
  readonly variant: string;
}

/** The time that a lock leaves between two holders. */
export interface SafetyMargin {
  /** True if holders always know of the end before the servers can grant another lease. */
  readonly isPromised: boolean;
  /** The only row of this fault in which its leases are reliable. */
  readonly only?: { readonly fault: FaultId; readonly variant: string };
  /** A sentence below the table. */
  readonly note?: string;
}
