import type { Locks as HoldfastLocks } from 'holdfast';

/**
 * The token of the locks that {@link HoldfastModule} opens, and their type.
 * @example
 * ```ts
 * @Injectable()
 * class Billing {
 *   constructor(@Inject(Locks) readonly locks: Locks) {}
 * }
 * ```
 */
export const Locks: unique symbol = Symbol('holdfast: Locks');
export type Locks<Token = bigint | undefined> = HoldfastLocks<Token>;
