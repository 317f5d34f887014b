import { COMPARE_AND_DELETE, type Recipe } from './recipe.ts';

/**
 * DO NOT USE. An id of one's own, taken in one step and given back in one step: the pattern that is usually called the
 * right one.
 *
 * Where it comes from: https://redis.io/docs/latest/commands/set, "Patterns".
 *
 * What breaks it: nobody renews the key, and nobody looks at the clock. Work that takes longer than the lease, because
 * it is long, the database is slow or the process stood still, goes on when the lock is somebody else's already.
 */
export const setNxLua: Recipe = {
  name: 'set-nx-lua',
  flaw: 'nothing renews it and no one checks the clock, so long work continues without the lock',
  expires: true,
  value: (id) => id,

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, value, run }) {
    return (await run(COMPARE_AND_DELETE, [lock], [value])) === 1;
  },
};
