import {
  callDeadlineMs,
  type Grant,
  type Instant,
  type Release,
  TTL_MS_MAX,
  type Validity,
  validityMs,
} from '@holdfast/core/backend';
import { callOf, type RecipeHold } from './recipe-hold.ts';

/** The grant of a recipe. */
export class ExhibitGrant implements Grant {
  readonly owner: string;
  readonly leaseMs: number;
  readonly fencingToken: bigint | undefined;
  readonly validity: Validity;
  readonly #hold: RecipeHold;
  #release: Promise<Release> | undefined;

  constructor(hold: RecipeHold, sentAt: Instant, token: bigint | undefined) {
    this.owner = hold.value;
    this.leaseMs = hold.ttlMs;
    this.fencingToken = token;
    this.validity = validityOf(hold, sentAt);
    this.#hold = hold;
  }

  /** Sends the release once, as the published code does. */
  async release(): Promise<Release> {
    if (this.#release === undefined) {
      this.#release = this.#sendRelease();
      return await this.#release;
    }
    const first = await this.#release;
    return first.kind === 'unknown' ? first : { kind: 'not-held' };
  }

  async #sendRelease(): Promise<Release> {
    const { recipe, host, ttlMs } = this.#hold;
    const callEndMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
    try {
      const isRemoved = await recipe.give(callOf(this.#hold, callEndMs, { commands: 0 }));
      return { kind: isRemoved ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }
}

/**
 * The validity of a grant. Most recipes never read a clock, so their leases have no time limit: a day stands for
 * unlimited, because a lease needs an end.
 */
function validityOf({ recipe, host, ttlMs }: RecipeHold, sentAt: Instant): Validity {
  switch (recipe.validity) {
    case 'from-request':
      return { from: sentAt, ms: validityMs(ttlMs) };
    case 'from-reply':
      return { from: host.runtime.now(), ms: validityMs(ttlMs) };
    case 'until-released':
    case undefined:
    default:
      return { from: sentAt, ms: TTL_MS_MAX };
  }
}
