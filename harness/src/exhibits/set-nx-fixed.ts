import type { Recipe } from './recipe.ts';

/**
 * DO NOT USE. SET with NX and PX in one command; every client writes one value, and DEL releases.
 *
 * Where it comes from: `SET lock 1 NX EX 10` in countless answers. In the wild it sold twice the stock of a flash
 * sale: `setIfAbsent(key, "val", 10, SECONDS)` and `delete(key)`,
 * https://besthub.dev/articles/why-redis-distributed-locks-still-let-flash-sales-oversell-and-how-to-fix-it-73c037579597
 *
 * What breaks it: nothing shows whose the key is. A release after the key has expired deletes the next holder's key. A
 * third client acquires it, the second one's release deletes that, and so on.
 */
export const setNxFixed: Recipe = {
  name: 'set-nx-fixed',
  flaw: 'every holder writes the same value, so a late release deletes the next holder’s key',
  expires: true,
  value: () => 'locked',

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, send }) {
    return (await send('DEL', lock)) === 1;
  },
};
