import type { HoldLog, HoldStatus } from '../../../sim/hold-log.ts';
import type { HoldState } from '../../../sim/schedule/holds.ts';
import type { PlaceLog } from '../../../sim/schedule/place-log.ts';
import type { SimPostgresServer } from './server.ts';

const OVER = Number.NEGATIVE_INFINITY;
const OPEN = Number.POSITIVE_INFINITY;

/** The servers that may store a hold. */
export interface HoldServers {
  readonly primary: SimPostgresServer;
  /** The names of the primary and its standby. */
  readonly names: readonly string[];
  readonly log: HoldLog;
  /** Present if waiters queue on the server. */
  readonly places: PlaceLog | undefined;
}

/** The state of a hold on a primary: its row, and when that expires. */
export class PostgresHoldState implements HoldState {
  readonly hasExpired = false;
  readonly #servers: HoldServers;
  readonly #owner: string;

  constructor(servers: HoldServers, owner: string) {
    this.#servers = servers;
    this.#owner = owner;
  }

  get place(): number | undefined {
    return this.#servers.places?.ticketOf(this.#owner);
  }

  get votes(): number {
    return this.#untilUs === undefined && !this.#isOfSession ? 0 : 1;
  }

  get addresses(): readonly (readonly (readonly HoldStatus[])[])[] {
    const { log, names } = this.#servers;
    return log.timelinesAt([names], this.#owner);
  }

  /** A server that is down grants nothing. */
  freeAtMs(): number {
    const { primary } = this.#servers;
    if (!primary.isUp || this.#isOfSession) return OPEN;
    const untilUs = this.#untilUs;
    return untilUs === undefined ? OVER : primary.whenWall(untilUs);
  }

  /** True for a lock that only its session ends. */
  get #isOfSession(): boolean {
    const { holds } = this.#servers.primary.engine.advisoryLocks;
    return holds.some(({ owner }) => owner === this.#owner);
  }

  get #untilUs(): number | undefined {
    const own = this.#servers.primary.engine
      .contents()
      .find(({ values }) => values['owner'] === this.#owner);
    const untilUs = own?.values['expires_at'];
    return typeof untilUs === 'number' ? untilUs : undefined;
  }
}
