import { COMPARE_AND_DELETE, type Recipe } from './recipe.ts';

/**
 * DO NOT USE. Each client writes its own id; acquiring and releasing are one step each. This pattern is usually called
 * the correct one.
 *
 * Where it comes from: https://redis.io/docs/latest/commands/set, "Patterns".
 *
 * What breaks it: nothing renews the key or checks the clock. Work can take longer than the lease because it is long, the
 * database is slow or the process was paused. It then continues although another client holds the lock.
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
