import type {
  Attempt,
  Backend,
  Contender,
  ContendRequest,
  Host,
  Withdrawal,
} from '@holdfast/core/backend';
import type { Subject } from '@holdfast/harness/simulator';

/** What the adopters of exported holds have done, over all plays of a lock. */
export interface HandOvers {
  /** Adoptions that won with their second attempt, or a later one. */
  repeated: number;
  /** Adoptions that lost against another of the same hold, or whose hold had ended. */
  refused: number;
  /** Holds that were adopted twice: none, if the lock is right. */
  twice: number;
}

/** A client of one world: it adopts what another exports. */
interface Adopting {
  readonly backend: Backend;
  readonly host: Host;
}

/** There is a rival in one of so many hand-overs, about. */
const RIVALS_IN = 2;
/** Longer than an attempt takes. */
const ATTEMPT_MS = 2_000;

/**
 * A lock of which every lease is handed over before it is used: a contender acquires the key and exports its hold, and
 * another adopts it. At the same time a second client tries to, which releases it at once. Faults that aim at an
 * acquisition hit the adoption.
 */
export function handedOver(lock: Subject): { readonly subject: Subject; readonly seen: HandOvers } {
  const seen: HandOvers = { repeated: 0, refused: 0, twice: 0 };
  /** By what all clients of one world share. */
  const clients = new WeakMap<object, Adopting[]>();
  const subject: Subject = {
    ...lock,
    name: `${lock.name}, handed over`,
    labels: { ...lock.labels, acquire: ['adopt'] },
    open: async (env, host) => {
      if (lock.open === undefined) throw new Error('it locks nothing');
      const backend = await lock.open(env, host);
      const others = clients.get(env.store) ?? [];
      clients.set(env.store, others);
      others.push({ backend, host });
      return {
        name: backend.name,
        capabilities: backend.capabilities,
        contend: (request) => new HandOver({ own: { backend, host }, others, request, seen }),
        close: (options) => backend.close(options),
      };
    },
  };
  return { subject, seen };
}

interface Parts {
  readonly own: Adopting;
  readonly others: readonly Adopting[];
  readonly request: ContendRequest;
  readonly seen: HandOvers;
}

interface Wins {
  count: number;
}

class HandOver implements Contender {
  readonly #parts: Parts;
  #exporter: Contender;
  #adopter: Contender | undefined;
  /** The adoptions of the latest exported hold that won. */
  #wins = { count: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#exporter = parts.own.backend.contend(parts.request);
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { own, others, request, seen } = this.#parts;
    if (this.#adopter === undefined) {
      const outcome = await this.#exporter.attempt(deadlineMs);
      if (outcome.kind !== 'granted') return outcome;
      const exported = outcome.grant.export?.() ?? '';
      this.#wins = { count: 0 };
      this.#adopter = this.#adopterOf(own, exported);
      // Each time it would come first, and hardly any client would ever hold.
      const rival = others[Math.floor(own.host.runtime.random() * others.length * RIVALS_IN)];
      if (rival !== undefined && rival !== own) void this.#tryOnce(rival, exported, this.#wins);
    }
    const outcome = await this.#adopter.attempt(deadlineMs);
    if (outcome.kind === 'granted') this.#count(outcome, this.#wins);
    if (outcome.kind !== 'refused') return outcome;
    // The lease has expired, or the rival has it: everything begins again.
    seen.refused += 1;
    await this.#adopter.withdraw();
    this.#adopter = undefined;
    this.#exporter = own.backend.contend({ ...request, contender: own.host.runtime.randomId() });
    return { kind: 'unavailable', cause: outcome.error };
  }

  async withdraw(): Promise<Withdrawal> {
    const { ttlMs = 0 } = this.#parts.request;
    const exporter = await this.#exporter.withdraw();
    await this.#adopter?.withdraw();
    // What was exported, and adopted by no client, stays for its ttl.
    return this.#adopter === undefined ? exporter : { kind: 'unknown', untilMs: ttlMs };
  }

  #adopterOf({ backend, host }: Adopting, exported: string): Contender {
    const { request } = this.#parts;
    const adopter = backend.adopt?.({ ...request, contender: host.runtime.randomId(), exported });
    if (adopter === undefined) throw new Error('it hands no lease over');
    return adopter;
  }

  /** Never settles if the rival's process has died. */
  async #tryOnce(rival: Adopting, exported: string, wins: Wins): Promise<void> {
    const adopter = this.#adopterOf(rival, exported);
    const outcome = await adopter.attempt(rival.host.runtime.now().monotonicMs + ATTEMPT_MS);
    if (outcome.kind !== 'granted') return void (await adopter.withdraw());
    this.#count(outcome, wins);
    await outcome.grant.release();
  }

  #count({ grant }: Extract<Attempt, { kind: 'granted' }>, wins: Wins): void {
    const { seen } = this.#parts;
    wins.count += 1;
    if (wins.count > 1) seen.twice += 1;
    if (!grant.owner.includes(':1:')) seen.repeated += 1;
  }
}
