import type { Recipe } from './recipe.ts';

/**
 * DO NOT USE. SETNX to acquire, EXPIRE so that a crash does not lock the key forever, DEL to release.
 *
 * Where it comes from: the answer to `setnx-del`, before Redis 2.6.12 could do both at once. In the wild it is for
 * example https://github.com/resque/resque-scheduler, `lib/resque/scheduler/lock/basic.rb`.
 *
 * What breaks it: acquiring takes two commands. If the process crashes between them, or the EXPIRE does not arrive, the
 * key never expires. And DEL deletes any value, as in `set-nx-fixed`.
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
