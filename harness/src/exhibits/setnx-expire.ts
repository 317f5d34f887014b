import type { Recipe } from './recipe.ts';

/**
 * DO NOT USE. SETNX to take, EXPIRE so that a crash does not lock for ever, DEL to release.
 *
 * Where it comes from: the answer to `setnx-del`, before Redis 2.6.12 could do both at once. In the wild it is for
 * example https://github.com/resque/resque-scheduler, `lib/resque/scheduler/lock/basic.rb`.
 *
 * What breaks it: it takes two commands. A process that dies between them, or whose EXPIRE does not arrive, leaves a
 * key that never goes away. And DEL removes whatever stands there, as in `set-nx-fixed`.
 */
export const setnxExpire: Recipe = {
  name: 'setnx-expire',
  flaw: 'setting the key and setting its ttl are two commands, and a crash between them locks the key forever',
  expires: false,
  value: () => 'true',

  async take({ lock, value, ttlMs, send }) {
    if ((await send('SETNX', lock, value)) !== 1) return false;
    await send('PEXPIRE', lock, ttlMs);
    return true;
  },

  async give({ lock, send }) {
    return (await send('DEL', lock)) === 1;
  },
};
