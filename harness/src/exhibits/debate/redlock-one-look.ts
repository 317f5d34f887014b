import { COMPARE_AND_DELETE, type Recipe } from '../recipe.ts';

/**
 * DO NOT USE. Redlock without its second clock check: a client with a majority of votes holds, from then on.
 *
 * Where it comes from: step 3 of https://redis.io/docs/latest/develop/clients/patterns/distributed-locks, left out. It
 * is what Kleppmann's second example against Redlock needs; antirez replies that the page does not say so.
 *
 * What breaks it: the replies may have been delayed, in the network or at a paused process, until the keys have expired.
 * They still count as votes.
 */
export const redlockOneLook: Recipe = {
  name: 'redlock-one-look',
  flaw: 'it does not check the clock again when the replies have arrived, however old they are',
  expires: true,
  validity: 'from-reply',
  value: (id) => id,

  async take({ lock, value, ttlMs, sendAll }) {
    const replies = await sendAll('SET', lock, value, 'NX', 'PX', ttlMs);
    const votes = replies.filter((reply) => reply === 'OK').length;
    if (votes > replies.length / 2) return true;
    await sendAll('EVAL', COMPARE_AND_DELETE.source, '1', lock, value);
    return false;
  },

  async give({ lock, value, sendAll }) {
    const replies = await sendAll('EVAL', COMPARE_AND_DELETE.source, '1', lock, value);
    return replies.includes(1);
  },
};
