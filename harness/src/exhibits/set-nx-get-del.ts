import type { Recipe } from './recipe.ts';

/**
 * DO NOT USE. Each client writes its own id; the release compares it first, then deletes.
 *
 * Where it comes from: `if (id.equals(redis.get(lock))) redis.del(lock)`, the usual answer to `set-nx-fixed`, written
 * in the language of the application.
 *
 * What breaks it: comparing and deleting are two steps. The key may expire between them and go to another client, and the
 * DEL then deletes the other client's key.
 */
export const setNxGetDel: Recipe = {
  name: 'set-nx-get-del',
  flaw: 'comparing and deleting are two steps, between which the lock may become somebody else’s',
  expires: true,
  value: (id) => id,

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, value, send }) {
    if ((await send('GET', lock)) !== value) return false;
    return (await send('DEL', lock)) === 1;
  },
};
