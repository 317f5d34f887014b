import { toUs } from '../../../sim/kernel.ts';
import type { Program } from './program.ts';

/** How often a leader looks for expired leases. */
const LOOK_MS = 500;
/** Expired leases that a leader still has after this time are revoked once more. */
const RETRY_MS = 3_000;
/** The time between finding an expired lease and handing its revocation on: another routine of the server does that. */
const HAND_ON_MS = 1;

/** The reply to a keep-alive at the leader. */
export type Renewal = { readonly ttlMs: number } | 'unknown' | 'no leader';

/** A keep-alive of an expired lease waits until that is revoked, or its server leads no more. */
interface WaitingRenewal {
  readonly id: bigint;
  readonly done: (renewal: Renewal) => void;
}

/**
 * When leases expire, by the monotonic clock of one server while it leads. A follower keeps no times: each new leader
 * starts all ttls again, or what was left at their latest checkpoint.
 */
export class Lessor {
  readonly #program: Program;
  readonly #expiresUs = new Map<bigint, number>();
  readonly #revokedAtUs = new Map<bigint, number>();
  #waiting: WaitingRenewal[] = [];
  /** Grows with every term as leader; 0 while it does not lead. */
  #term = 0;
  #terms = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  get leads(): boolean {
    return this.#term > 0;
  }

  /** It leads from now on, and has applied everything before its term. */
  promote(): void {
    const { electionMs, checkpointMs } = this.#program.settings;
    this.#terms += 1;
    this.#term = this.#terms;
    this.#expiresUs.clear();
    this.#revokedAtUs.clear();
    for (const id of this.#program.store.leases.ids) this.#extend(id, electionMs);
    this.#lookLater(this.#term);
    if (checkpointMs !== undefined) this.#checkpointLater(this.#term, checkpointMs);
  }

  demote(): void {
    this.#term = 0;
    for (const { done } of this.#waiting.splice(0)) done('no leader');
  }

  granted(id: bigint): void {
    if (this.leads) this.#extend(id, 0);
  }

  revoked(id: bigint): void {
    this.#expiresUs.delete(id);
    this.#revokedAtUs.delete(id);
    const ended = this.#waiting.filter((each) => each.id === id);
    this.#waiting = this.#waiting.filter((each) => each.id !== id);
    for (const { done } of ended) done('unknown');
  }

  /** Without a majority's consent: a leader that was replaced and does not know it renews, too. */
  renew(id: bigint, done: (renewal: Renewal) => void): void {
    if (!this.leads) return done('no leader');
    const lease = this.#program.store.leases.get(id);
    const expiresUs = this.#expiresUs.get(id);
    if (lease === undefined || expiresUs === undefined) return done('unknown');
    if (expiresUs <= this.#program.monotonicUs) {
      this.#waiting.push({ id, done });
      return;
    }
    const { ttlMs } = lease;
    if (lease.leftMs === 0) {
      this.#extend(id, 0);
      return done({ ttlMs });
    }
    // What was left is forgotten first, by all servers.
    this.#program.propose({ kind: 'checkpoint', id, leftMs: 0 }, () => {
      if (this.leads) this.#extend(id, 0);
      done({ ttlMs });
    });
  }

  #extend(id: bigint, moreMs: number): void {
    const lease = this.#program.store.leases.get(id);
    if (lease === undefined) return;
    const { monotonicUs, machine } = this.#program;
    const untilUs = monotonicUs + toUs((lease.leftMs > 0 ? lease.leftMs : lease.ttlMs) + moreMs);
    this.#expiresUs.set(id, untilUs);
    machine.ensemble.observer?.extended(this.#program, id, untilUs);
  }

  #lookLater(term: number): void {
    this.#program.after(LOOK_MS, () => {
      if (this.#term !== term) return;
      this.#look();
      this.#lookLater(term);
    });
  }

  #look(): void {
    const { monotonicUs, settings } = this.#program;
    const ended = [...this.#expiresUs].filter(
      ([id, untilUs]) => untilUs <= monotonicUs && (this.#revokedAtUs.get(id) ?? 0) <= monotonicUs,
    );
    if (ended.length === 0) return;
    for (const [id] of ended) this.#revokedAtUs.set(id, monotonicUs + toUs(RETRY_MS));
    const revoke = (): void => {
      for (const [id] of ended) this.#program.propose({ kind: 'revoke', id });
    };
    if (settings.revokesUnasked) this.#program.after(HAND_ON_MS, revoke);
    else this.#program.confirmLeadership(revoke);
  }

  #checkpointLater(term: number, everyMs: number): void {
    this.#program.after(everyMs, () => {
      if (this.#term !== term) return;
      const { monotonicUs, store } = this.#program;
      for (const [id, untilUs] of this.#expiresUs) {
        const leftMs = Math.ceil((untilUs - monotonicUs) / 1_000);
        const isLong = (store.leases.get(id)?.ttlMs ?? 0) > everyMs;
        if (isLong && leftMs > 0) this.#program.propose({ kind: 'checkpoint', id, leftMs });
      }
      this.#checkpointLater(term, everyMs);
    });
  }
}
