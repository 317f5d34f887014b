import type { Capabilities, HoldMode } from '@holdfast/core/backend';
import type { Reply, Script } from '@holdfast/redis/port';

/** A lock as its author published it: the commands that acquire a key and release it. */
export interface Recipe {
  readonly name: string;
  /** The flaw that breaks it, as a clause. */
  readonly flaw: string;
  /** True if its key expires. */
  readonly expires: boolean;
  /** The stored value while a client holds the key; `id` is fresh for every contender. */
  value(id: string): string;
  /**
   * The end of a holder's belief. `until-released`, the default: it never reads a clock. Otherwise the ttl by its own
   * clocks, counted from when it sent the request or from when it got the reply.
   */
  readonly validity?: 'until-released' | 'from-request' | 'from-reply';
  /** The modes that it has, if not only exclusive holds. */
  readonly modes?: Capabilities['modes'];
  /** Acquires the key; true on success, or the fencing token as a bigint. */
  take(call: RecipeCall): Promise<boolean | bigint>;
  /** Releases the key; true if a key was removed. */
  give(call: RecipeCall): Promise<boolean>;
}

/** The input of a recipe: one key, and functions that send commands to its nodes. */
export interface RecipeCall {
  /** The stored name of the lock. */
  readonly lock: string;
  readonly value: string;
  readonly ttlMs: string;
  /** How the caller holds; absent: exclusively. */
  readonly mode: HoldMode | undefined;
  readonly send: (...command: readonly string[]) => Promise<Reply>;
  /** Sends to every node; undefined for a node without a reply, or with an error. */
  readonly sendAll: (...command: readonly string[]) => Promise<readonly (Reply | undefined)[]>;
  /** The wall clock of this process. */
  readonly wallMs: () => number;
  readonly run: (
    script: Script,
    keys: readonly string[],
    args: readonly string[],
  ) => Promise<Reply>;
}

/**
 * The release of https://redis.io/docs/latest/commands/set ("Patterns").
 * KEYS[1] the lock; ARGV[1] the value that its holder wrote. Returns 1 if that value was stored and is removed, else 0.
 */
export const COMPARE_AND_DELETE: Script = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
};
