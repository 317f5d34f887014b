import { COMPARE_AND_DELETE, type Recipe } from './recipe.ts';

/**
 * DO NOT USE. The correct script to release, and an id that identifies no one.
 *
 * Where it comes from: listings that show the script of https://redis.io/docs/latest/commands/set with a constant for
 * the owner, and are copied unchanged; or an id that is read from a configuration which all processes share.
 *
 * What breaks it: every process calls itself `client1`, so each takes every key for its own. The comparison is always
 * true, and a late release frees another client's lock exactly as in `set-nx-fixed`.
 */
export const setNxSameId: Recipe = {
  name: 'set-nx-same-id',
  flaw: 'every process calls itself client1, so that a late release takes another’s lock for its own',
  expires: true,
  value: () => 'client1',

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, value, run }) {
    return (await run(COMPARE_AND_DELETE, [lock], [value])) === 1;
  },
};
