import {
  type Attempt,
  type Backend,
  type Capabilities,
  type CloseOptions,
  type Contender,
  type ContendRequest,
  callDeadlineMs,
  checkTtl,
  type Host,
  TTL_MS_DEFAULT,
  type Withdrawal,
} from '@holdfast/core/backend';
import { closeWithin, keyPrefix } from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable, type RedisNode } from '@holdfast/redis/port';
import { ExhibitGrant } from './grant.ts';
import type { Recipe } from './recipe.ts';
import { callOf, type RecipeHold } from './recipe-hold.ts';

/** The parts of an exhibit. */
export interface ExhibitParts {
  readonly recipe: Recipe;
  readonly nodes: readonly [RedisNode, ...RedisNode[]];
  readonly ownsNode: boolean;
  readonly namespace: string;
  /** A waiter polls after this time, minus a random part of up to half, because no recipe notifies waiters. */
  readonly pollMs: number;
}

/** A published recipe as a backend; features that the recipe lacks are not added. */
export class Exhibit implements Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly #parts: ExhibitParts;
  readonly #host: Host;

  constructor(parts: ExhibitParts, host: Host) {
    const { name, modes } = parts.recipe;
    this.name = name;
    this.capabilities = { ...EXHIBIT_CAPABILITIES, ...(modes && { modes }) };
    this.#parts = parts;
    this.#host = host;
  }

  /** @throws InvalidOptionError for a ttl that is not a whole number, or too short for one call to the node */
  contend({ key, contender, ttlMs = TTL_MS_DEFAULT, mode }: ContendRequest): Contender {
    checkTtl(ttlMs, key, this.name);
    const { recipe, nodes, namespace, pollMs } = this.#parts;
    const [node] = nodes;
    const lock = `${keyPrefix(namespace, key)}lock`;
    const value = recipe.value(contender);
    const hold = { recipe, node, nodes, host: this.#host, lock, ttlMs, value, mode };
    return new ExhibitContender(hold, pollMs);
  }

  close(options: CloseOptions = {}): Promise<void> {
    const { ownsNode, nodes } = this.#parts;
    if (!ownsNode) return Promise.resolve();
    return closeWithin(this.#host.runtime, options, () => nodes[0].close());
  }
}

class ExhibitContender implements Contender {
  readonly #hold: RecipeHold;
  readonly #pollMs: number;
  /** True if a failed attempt may have left its value in the store. */
  #isUnknown = false;

  constructor(hold: RecipeHold, pollMs: number) {
    this.#hold = hold;
    this.#pollMs = pollMs;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { recipe, host, ttlMs } = this.#hold;
    const from = host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    const sent = { commands: 0 };
    try {
      const taken = await recipe.take(callOf(this.#hold, callEndMs, sent));
      const token = typeof taken === 'bigint' ? taken : undefined;
      if (taken !== false)
        return { kind: 'granted', grant: new ExhibitGrant(this.#hold, from, token) };
      return { kind: 'busy', retryAfterMs: this.#pollMs * (1 - host.runtime.random() / 2) };
    } catch (cause) {
      // Only a failure of the first command proves that nothing was written.
      const isFirst = sent.commands === 1;
      if (isFirst && (cause instanceof NodeUnavailable || cause instanceof NodeReplyError))
        return { kind: 'unavailable', cause };
      this.#isUnknown = true;
      return { kind: 'unknown', cause };
    }
  }

  /** Undoes nothing, because no recipe here can. */
  withdraw(): Promise<Withdrawal> {
    if (!this.#isUnknown) return Promise.resolve({ kind: 'clean' });
    const { recipe, ttlMs } = this.#hold;
    const untilMs = recipe.expires ? ttlMs : Number.POSITIVE_INFINITY;
    return Promise.resolve({ kind: 'unknown', untilMs });
  }
}

/** The capabilities of all exhibits. */
export const EXHIBIT_CAPABILITIES: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'none',
  fencing: 'none',
  queue: 'none',
  wakeUp: 'poll',
};
