/** One of the clients: who holds when the fault strikes, or who waits then. */
export type ClientTarget = 'holder' | 'waiter';

/** Servers, by what they are to each other, by what was done to them, or by their place among the addresses. */
export type ServerTarget =
  | 'all'
  | 'leader'
  | 'follower'
  /** So many that too few are left, the leader among them. */
  | 'majority'
  /** To whom something was done before. */
  | 'affected'
  | readonly number[];

/** What comes back with a server that was killed: `torn` is what its log held when it was kept. */
export type Data = 'empty' | 'durable' | 'torn';

/** One thing that is done on real servers, in the words that simulated ones have, wherever they mean the same. */
export type Step =
  // When.
  /** Until the lease has just been renewed, so that its holder notices late; or until it is about to end by itself. */
  | { readonly do: 'await'; readonly moment: 'renewal' | 'end' }
  /**
   * Everything goes on under the fault: for longer than a ttl; or until somebody has taken over; or until the one who
   * waits is served, who then asks once and waits for as long as it takes. What follows ends the fault.
   */
  | { readonly do: 'hold'; readonly until: 'over' | 'takeover' | 'served' }
  /** One of these at once and one every `everyMs`, while everything else goes on; `again`: round and round. */
  | {
      readonly do: 'meanwhile';
      readonly everyMs: number;
      readonly steps: readonly Step[];
      readonly again?: true;
    }
  // Clients.
  /** The holder writes and leaves. */
  | { readonly do: 'leave' }
  /** The last client opens its locks now: one who has seen nothing yet. */
  | { readonly do: 'arrive' }
  | { readonly do: 'pause'; readonly client: ClientTarget }
  /** Its machine sleeps: its monotonic clock stands still, too. */
  | { readonly do: 'sleep'; readonly client: ClientTarget }
  /** Its event loop, for as long as the fault lasts. */
  | { readonly do: 'block'; readonly client: ClientTarget }
  | { readonly do: 'resume'; readonly client: ClientTarget }
  | { readonly do: 'kill'; readonly client: ClientTarget }
  | { readonly do: 'jumpClock'; readonly client: ClientTarget; readonly ms: number }
  /** What it sends to the resource is held back, and then arrives. */
  | { readonly do: 'holdWrites'; readonly client: ClientTarget }
  | { readonly do: 'letWrites'; readonly client: ClientTarget }
  // Servers.
  | { readonly do: 'stop'; readonly servers: ServerTarget }
  | { readonly do: 'goOn'; readonly servers: ServerTarget }
  | { readonly do: 'crash'; readonly servers: ServerTarget }
  | { readonly do: 'restart'; readonly servers: ServerTarget; readonly data: Data }
  /** They answer all that clients ask, so much later. */
  | { readonly do: 'slow'; readonly servers: readonly number[]; readonly ms: number }
  /** What their logs hold by now is what a torn one will hold. */
  | { readonly do: 'keepLog'; readonly servers: ServerTarget }
  | { readonly do: 'jumpWall'; readonly servers: ServerTarget; readonly ms: number }
  /** Many locks are taken and given back, so that a server that begins anew is far behind. */
  | { readonly do: 'age' }
  // Servers among themselves.
  /** From now on no replica hears of what its master does. */
  | { readonly do: 'stopReplication' }
  | { readonly do: 'failover' }
  /** A replica is promoted, and the old master lives on for those who stay. */
  | { readonly do: 'splitBrain'; readonly stay: ClientTarget }
  /** Replicas from their master; or of an ensemble the follower of the holder's from the leader, or all of them. */
  | { readonly do: 'cutPeers'; readonly whose: 'all' | 'holder'; readonly way?: 'out' }
  | { readonly do: 'healPeers' }
  // Between clients and servers.
  /** Every message of this client, or of all, takes so long. */
  | { readonly do: 'delay'; readonly client?: ClientTarget; readonly ms: number }
  /** Nothing passes between the client and these servers, or all; or not one way. */
  | {
      readonly do: 'cut';
      readonly client: ClientTarget;
      readonly servers?: readonly number[];
      readonly way?: 'reply';
    }
  /** The connections on which it would be told of something go silent. */
  | { readonly do: 'silence'; readonly client: ClientTarget }
  /** Every connection loses the reply that comes after so many others, and is reset. */
  | { readonly do: 'loseReplies'; readonly after: number }
  /** Nobody reaches this server. */
  | { readonly do: 'clog'; readonly server: number }
  | { readonly do: 'free'; readonly server: number }
  /** All that was said here of messages is over; what was held back is lost with its connection, or arrives. */
  | { readonly do: 'heal'; readonly held: 'lost' | 'arrives' };

/** What a deployment can offer: the steps, and of some the kinds that not all can do. */
export type Verb =
  | Exclude<Step['do'], 'await' | 'hold' | 'meanwhile' | 'restart' | 'jumpWall'>
  | 'jumpAhead'
  | 'jumpBack'
  | 'restartEmpty'
  | 'restartDurable'
  | 'restartTorn';

/** How a fault is played once. Clients open their locks, and then one of them gets in and another waits. */
export interface Choreography {
  /** For people: whom it strikes, and how. */
  readonly told: string;
  /** Which variant of its fault this is, where the matrix has several. */
  readonly variant?: string;
  /** Before anybody holds: what has to be so, or the fault would show nothing. */
  readonly before?: readonly Step[];
  /** What happens up to a step `hold`, and what ends it. */
  readonly steps: readonly Step[];
}

/** A fault that cannot be shown there, and why. */
export interface Unplayable {
  readonly unplayable: string;
}

/** What matters of a lock to those who play a fault on it. */
export interface RealLock {
  /** Its leases are renewed for as long as they are held; otherwise they end by themselves. */
  readonly renews: boolean;
  /** Wall clocks of clients decide who holds, and a release deletes whatever is stored. */
  readonly trustsClientClocks?: true;
  /** On which connection the one who waits is told: one of its own, or any; absent: it asks again and again. */
  readonly tells?: 'subscribed' | 'open';
}

/** Real servers with a lock on them, as a fault sees them: of what kind they are is not said. */
export interface Deployment {
  /** How many addresses there are. */
  readonly servers: number;
  /** What they are called in a sentence. */
  readonly called: string;
  /** One leader and its followers; otherwise they know nothing of each other. */
  readonly isEnsemble: boolean;
  /** Servers of the user's, to which nothing is done. */
  readonly areTheirs?: true;
  /** They turn away who has seen more than they know: only a newcomer sees that they forgot. */
  readonly refusesTheAhead?: true;
  /** Absent: there is none, and nobody waits. */
  readonly lock?: RealLock;
  readonly ttlMs: number;
  /** How much longer than a ttl they may take to let go of what nobody prolongs, where that is long. */
  readonly slackMs?: number;
  readonly verbs: readonly Verb[];
  /** Why it has not some others. */
  readonly lacks?: Readonly<Partial<Record<Verb, string>>>;
  /** What a failover is there. */
  readonly failover?: string;
}

/** What a step needs of a deployment; undefined where any has it. */
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

/** Every step of it, also those that are done meanwhile. */
export function stepsOf({ before = [], steps }: Choreography): readonly Step[] {
  return [...before, ...steps].flatMap((step) => (step.do === 'meanwhile' ? step.steps : [step]));
}
