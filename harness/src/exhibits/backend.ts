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
} from '@holdfast/core';
import { closeWithin, keyPrefix } from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable, type RedisNode } from '@holdfast/redis/port';
import { ExhibitGrant } from './grant.ts';
import type { Recipe } from './recipe.ts';
import { callOf, type RecipeHold } from './recipe-hold.ts';

/** What a recipe is shown with. */
export interface ExhibitParts {
  readonly recipe: Recipe;
  readonly nodes: readonly [RedisNode, ...RedisNode[]];
  readonly ownsNode: boolean;
  readonly namespace: string;
  /** Nobody tells a waiter of a release: it looks again after this, of which a random half is taken off. */
  readonly pollMs: number;
}

/** A recipe of somebody else's as a backend: what the port asks for and the recipe does not have is not made up. */
export class Exhibit implements Backend {
  readonly name: string;
  readonly capabilities: Capabilities = EXHIBIT_CAPABILITIES;
  readonly #parts: ExhibitParts;
  readonly #host: Host;

  constructor(parts: ExhibitParts, host: Host) {
    this.name = parts.recipe.name;
    this.#parts = parts;
    this.#host = host;
  }

  /** @throws InvalidOptionError for a ttl that is no whole number, or too short for one call to the node */
  contend({ key, contender, ttlMs = TTL_MS_DEFAULT }: ContendRequest): Contender {
    checkTtl(ttlMs, key, this.name);
    const { recipe, nodes, namespace, pollMs } = this.#parts;
    const [node] = nodes;
    const lock = `${keyPrefix(namespace, key)}lock`;
    const value = recipe.value(contender);
    const held = { recipe, node, nodes, host: this.#host, lock, ttlMs, value };
    return new ExhibitContender(held, pollMs);
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
  /** Whether something of an attempt may stand in the store without being a lock of ours. */
  #isUnknown = false;

  constructor(held: RecipeHold, pollMs: number) {
    this.#hold = held;
    this.#pollMs = pollMs;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { recipe, host, ttlMs } = this.#hold;
    const from = host.runtime.now();
    const byMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    const sent = { commands: 0 };
    try {
      const taken = await recipe.take(callOf(this.#hold, byMs, sent));
      const token = typeof taken === 'bigint' ? taken : undefined;
      if (taken !== false)
        return { kind: 'granted', grant: new ExhibitGrant(this.#hold, from, token) };
      return { kind: 'busy', retryAfterMs: this.#pollMs * (1 - host.runtime.random() / 2) };
    } catch (cause) {
      // Only of the first command of several is it certain that nothing was done.
      const isFirst = sent.commands === 1;
      if (isFirst && (cause instanceof NodeUnavailable || cause instanceof NodeReplyError))
        return { kind: 'unavailable', cause };
      this.#isUnknown = true;
      return { kind: 'unknown', cause };
    }
  }

  /** Nothing is undone: no recipe here knows how. */
  withdraw(): Promise<Withdrawal> {
    if (!this.#isUnknown) return Promise.resolve({ kind: 'clean' });
    const { recipe, ttlMs } = this.#hold;
    const untilMs = recipe.expires ? ttlMs : Number.POSITIVE_INFINITY;
    return Promise.resolve({ kind: 'unknown', untilMs });
  }
}

/** What all exhibits have in common: next to nothing. */
export const EXHIBIT_CAPABILITIES: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'none',
  fencing: 'none',
  queue: 'none',
  wakeUp: 'poll',
};
