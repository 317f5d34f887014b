import {
  callDeadlineMs,
  type Grant,
  type Instant,
  type Release,
  TTL_MS_MAX,
  type Validity,
  validityMs,
} from '@holdfast/core';
import { callOf, type RecipeHold } from './recipe-hold.ts';

/** One hold, as its author sees it. */
export class ExhibitGrant implements Grant {
  readonly owner: string;
  readonly leaseMs: number;
  readonly fencingToken: bigint | undefined;
  readonly validity: Validity;
  readonly #hold: RecipeHold;
  #release: Promise<Release> | undefined;

  constructor(held: RecipeHold, asked: Instant, token: bigint | undefined) {
    this.owner = held.value;
    this.leaseMs = held.ttlMs;
    this.fencingToken = token;
    this.validity = validityOf(held, asked);
    this.#hold = held;
  }

  /** Sent once, as its author does. */
  async release(): Promise<Release> {
    if (this.#release === undefined) {
      this.#release = this.#give();
      return await this.#release;
    }
    const first = await this.#release;
    return first.kind === 'unknown' ? first : { kind: 'not-held' };
  }

  async #give(): Promise<Release> {
    const { recipe, host, ttlMs } = this.#hold;
    const byMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
    try {
      const isGiven = await recipe.give(callOf(this.#hold, byMs, { commands: 0 }));
      return { kind: isGiven ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }
}

/**
 * Most recipes never look at the clock, whatever the store does with the key meanwhile: a day stands for ever, because
 * a lease has to have an end.
 */
function validityOf({ recipe, host, ttlMs }: RecipeHold, asked: Instant): Validity {
  switch (recipe.validity) {
    case 'from-request':
      return { from: asked, ms: validityMs(ttlMs) };
    case 'from-reply':
      return { from: host.runtime.now(), ms: validityMs(ttlMs) };
    case 'until-released':
    case undefined:
    default:
      return { from: asked, ms: TTL_MS_MAX };
  }
}
