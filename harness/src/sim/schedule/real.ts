/** One of the clients: the holder or the waiter at the injection of the fault. */
export type ClientTarget = 'holder' | 'waiter';

/** Servers, by their role, by an earlier step on them, or by their position among the addresses. */
export type ServerTarget =
  | 'all'
  | 'leader'
  | 'follower'
  /** So many that too few are left, the leader among them. */
  | 'majority'
  /** The servers of the earlier step. */
  | 'affected'
  | readonly number[];

/** The data with which a killed server restarts: `torn` is its log as it was when it was kept. */
export type RestartData = 'empty' | 'durable' | 'torn';

/** One step on real servers. Equal names mean equal things on simulated ones. */
export type Step =
  // Times.
  /** Waits until the lease has just been renewed, so that its holder notices late; or until it is about to expire. */
  | { readonly do: 'await'; readonly moment: 'renewal' | 'end' }
  /**
   * Lets clients run under the fault: for longer than a ttl, until another client has taken over, or until the waiter
   * is served. A waiter that is to be served tries once, for as long as it takes. The steps behind it end the fault.
   */
  | { readonly do: 'hold'; readonly until: 'over' | 'takeover' | 'served' }
  /** Runs one of these steps at once and another every `everyMs`, while the clients run; `again`: in a loop. */
  | {
      readonly do: 'meanwhile';
      readonly everyMs: number;
      readonly steps: readonly Step[];
      readonly again?: true;
    }
  // Clients.
  /** The holder writes and leaves. */
  | { readonly do: 'leave' }
  /** The last client opens its locks now: it has seen nothing yet. */
  | { readonly do: 'arrive' }
  | { readonly do: 'pause'; readonly client: ClientTarget }
  /** Its machine is suspended: its monotonic clock stops, too. */
  | { readonly do: 'sleep'; readonly client: ClientTarget }
  /** Blocks its event loop, for as long as the fault lasts. */
  | { readonly do: 'block'; readonly client: ClientTarget }
  | { readonly do: 'resume'; readonly client: ClientTarget }
  | { readonly do: 'kill'; readonly client: ClientTarget }
  | { readonly do: 'jumpClock'; readonly client: ClientTarget; readonly ms: number }
  /** Holds back its writes to the resource; they arrive later. */
  | { readonly do: 'holdWrites'; readonly client: ClientTarget }
  | { readonly do: 'releaseWrites'; readonly client: ClientTarget }
  // Servers.
  | { readonly do: 'stop'; readonly servers: ServerTarget }
  | { readonly do: 'resumeServers'; readonly servers: ServerTarget }
  | { readonly do: 'crash'; readonly servers: ServerTarget }
  | { readonly do: 'restart'; readonly servers: ServerTarget; readonly data: RestartData }
  /** The servers execute all requests of clients so much later. */
  | { readonly do: 'slow'; readonly servers: readonly number[]; readonly ms: number }
  /** Keeps copies of their logs, for a `torn` restart. */
  | { readonly do: 'keepLog'; readonly servers: ServerTarget }
  | { readonly do: 'jumpWall'; readonly servers: ServerTarget; readonly ms: number }
  /** Acquires and releases many locks, so that a server that restarts empty is far behind. */
  | { readonly do: 'age' }
  // Servers among themselves.
  /** From now on no replica receives its master's writes. */
  | { readonly do: 'stopReplication' }
  | { readonly do: 'failover' }
  /** A replica is promoted, and the old master stays alive for the client that stays. */
  | { readonly do: 'splitBrain'; readonly stay: ClientTarget }
  /** Cuts replicas from their master; or in an ensemble the holder's follower, or all followers, from the leader. */
  | { readonly do: 'cutPeers'; readonly whose: 'all' | 'holder'; readonly way?: 'out' }
  | { readonly do: 'healPeers' }
  // Between clients and servers.
  /** Delays every message of this client, or of all. */
  | { readonly do: 'delay'; readonly client?: ClientTarget; readonly ms: number }
  /** Cuts the client from these servers, or all; `way` limits the cut to one way. */
  | {
      readonly do: 'cut';
      readonly client: ClientTarget;
      readonly servers?: readonly number[];
      readonly way?: 'reply';
    }
  /** The connections that would notify it go silent. */
  | { readonly do: 'silence'; readonly client: ClientTarget }
  /** Every connection loses the reply after so many others, and is reset. */
  | { readonly do: 'loseReplies'; readonly after: number }
  /** Cuts all clients from this server. */
  | { readonly do: 'clog'; readonly server: number }
  | { readonly do: 'free'; readonly server: number }
  /** Ends all faults of messages; messages held back are lost with their connection, or arrive. */
  | { readonly do: 'heal'; readonly held: 'lost' | 'arrives' };

/** A capability of a deployment: a step, or a kind of step that not all deployments have. */
export type Verb =
  | Exclude<Step['do'], 'await' | 'hold' | 'meanwhile' | 'restart' | 'jumpWall'>
  | 'jumpAhead'
  | 'jumpBack'
  | 'restartEmpty'
  | 'restartDurable'
  | 'restartTorn';

/** One way to play a fault. Clients open their locks; then one of them acquires the key and another waits. */
export interface Choreography {
  /** For people: the target and the fault. */
  readonly description: string;
  /** The variant of its fault, if the matrix has several. */
  readonly variant?: string;
  /** Preparations before any client holds, without which the fault would show nothing. */
  readonly before?: readonly Step[];
  /** The steps up to a step `hold`, and those that end the fault. */
  readonly steps: readonly Step[];
}

/** The reason why a fault cannot be shown there. */
export interface Unplayable {
  readonly unplayable: string;
}

/** The properties of a lock that choreographies depend on. */
export interface RealLock {
  /** True if its leases are renewed for as long as they are held; otherwise they expire. */
  readonly renews: boolean;
  /** Set if wall clocks of clients decide who holds, and a release deletes any stored value. */
  readonly trustsClientClocks?: true;
  /** The connection that notifies a waiter: one of its own, or any; absent: it polls. */
  readonly notifiedOn?: 'subscribed' | 'open';
}

/** Real servers with a lock on them, as a fault sees them; their kind is hidden. */
export interface Deployment {
  /** Number of addresses. */
  readonly servers: number;
  /** The servers' name in a sentence. */
  readonly called: string;
  /** True for one leader and its followers; otherwise the servers are independent. */
  readonly isEnsemble: boolean;
  /** Set for servers of the user, which no step may touch. */
  readonly isUserOwned?: true;
  /** Set if they reject clients that have seen more than the server knows: only a newcomer sees lost data. */
  readonly rejectsAheadClients?: true;
  /** Set if a replica has all that the master confirms. Cutting it off first would only stop the service. */
  readonly isSynchronous?: true;
  /** Absent for the control without a lock: no client waits. */
  readonly lock?: RealLock;
  readonly ttlMs: number;
  /** Longest time beyond a ttl until they expire a hold that is not renewed, if that is long. */
  readonly slackMs?: number;
  readonly verbs: readonly Verb[];
  /** The reasons why it lacks some verbs. */
  readonly lacks?: Readonly<Partial<Record<Verb, string>>>;
  /** A failover there, in words. */
  readonly failover?: string;
}

/** Returns the verb that a step needs; undefined if any deployment has it. */
export function verbOf(step: Step): Verb | undefined {
  if (step.do === 'await' || step.do === 'hold' || step.do === 'meanwhile') return undefined;
  if (step.do === 'restart') return RESTARTS[step.data];
  if (step.do === 'jumpWall') return step.ms < 0 ? 'jumpBack' : 'jumpAhead';
  return step.do;
}

const RESTARTS = {
  empty: 'restartEmpty',
  durable: 'restartDurable',
  torn: 'restartTorn',
} as const;

/** Returns all of its steps, including those inside `meanwhile`. */
export function stepsOf({ before = [], steps }: Choreography): readonly Step[] {
  return [...before, ...steps].flatMap((step) => (step.do === 'meanwhile' ? step.steps : [step]));
}
