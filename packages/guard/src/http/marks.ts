import { ConfigError } from '@holdfast/core';
import { staleToken } from '../errors.ts';
import { type FencedLease, fenceOf, NAME } from '../fence.ts';

/** Where the marks of requests are: a {@link SqlGuard}, {@link SqliteGuard}, {@link RedisGuard} or {@link memoryMarks}. */
export interface Marks {
  /**
   * Raises the mark of a key.
   * @throws StaleTokenError if it is larger
   */
  admit(lease: FencedLease): Promise<void> | void;
}

/** Options of {@link memoryMarks}. */
export interface MemoryMarksOptions {
  /** How many processes serve the requests; only 1 is allowed. */
  readonly replicas: number;
}

/**
 * Marks in this process alone. With several replicas each would have its own, and a late request that another replica serves
 * would be accepted. After a restart they begin again at 0.
 * @example
 * ```ts
 * const guard = new HttpGuard(memoryMarks({ replicas: 1 }));
 * ```
 * @throws ConfigError unless `replicas` is 1
 */
export function memoryMarks({ replicas }: MemoryMarksOptions): Marks {
  if (replicas !== 1)
    throw new ConfigError(
      `${NAME}: marks in memory of ${replicas} replicas would accept late requests; use a store that all of them share`,
      { backend: NAME },
    );
  return new MemoryMarks();
}

class MemoryMarks implements Marks {
  readonly #largest = new Map<string, bigint>();

  admit({ key, fencingToken }: FencedLease): void {
    const fence = fenceOf(key, fencingToken);
    const largest = this.#largest.get(key) ?? 0n;
    if (fence.token < largest) throw staleToken(fence, largest);
    this.#largest.set(key, fence.token);
  }
}
