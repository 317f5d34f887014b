import type { Recipe } from './recipe.ts';

/**
 * DO NOT USE. The simplest lock: SETNX to acquire, DEL to release.
 *
 * Where it comes from: SETNX was Redis' own locking primitive (https://redis.io/docs/latest/commands/setnx). In the
 * wild it is for example https://github.com/defunkt/resque-lock, `lib/resque/plugins/lock.rb`.
 *
 * What breaks it: the key never expires. If its holder crashes, or the DEL is lost, the key stays locked until an
 * operator deletes it by hand.
 */
export const setnxDel: Recipe = {
  name: 'setnx-del',
  flaw: 'the key never expires, so a crash of its holder locks it forever',
  expires: false,
  value: () => 'true',

  async take({ lock, value, send }) {
    return (await send('SETNX', lock, value)) === 1;
  },

  async give({ lock, send }) {
    return (await send('DEL', lock)) === 1;
  },
};
