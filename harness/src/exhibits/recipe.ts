import type { Reply, Script } from '@holdfast/redis/port';

/** A lock as somebody wrote it: what its author sends to take a key, and to give it back. */
export interface Recipe {
  readonly name: string;
  /** What breaks it; half a sentence. */
  readonly flaw: string;
  /** Whether its key goes away by itself. */
  readonly expires: boolean;
  /** What stands under the key while somebody holds it; `id` is fresh for every contender. */
  value(id: string): string;
  /**
   * Until when its holder believes. `until-released`, the default: it never looks at the clock. Else until the ttl is
   * over by its own clocks, counted from when it asked, or from when it was answered.
   */
  readonly validity?: 'until-released' | 'from-request' | 'from-reply';
  /** Whether the key was taken; a bigint: it was, and this is the fencing token. */
  take(call: Call): Promise<boolean | bigint>;
  /** Whether anything was removed. */
  give(call: Call): Promise<boolean>;
}

/** What a recipe works with: one key, and the way to its node. */
export interface Call {
  /** The name under which the lock stands. */
  readonly lock: string;
  readonly value: string;
  readonly ttlMs: string;
  readonly send: (...command: readonly string[]) => Promise<Reply>;
  /** To every node, where there are several; undefined from those that did not answer, or with an error. */
  readonly sendAll: (...command: readonly string[]) => Promise<readonly (Reply | undefined)[]>;
  /** What time it is, by the wall clock of this process. */
  readonly wallMs: () => number;
  readonly run: (
    script: Script,
    keys: readonly string[],
    args: readonly string[],
  ) => Promise<Reply>;
}

/**
 * The release of https://redis.io/docs/latest/commands/set ("Patterns").
 * KEYS[1] the lock; ARGV[1] the value that its holder wrote. Returns 1 when it stood there and was removed, else 0.
 */
export const COMPARE_AND_DELETE: Script = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
};
