import { COMPARE_AND_DELETE, type Recipe } from '../recipe.ts';

/**
 * DO NOT USE. Redlock without its second look at the clock: whoever has a majority of yeses holds, from then on.
 *
 * Where it comes from: step 3 of https://redis.io/docs/latest/develop/clients/patterns/distributed-locks, left out. It
 * is what Kleppmann's second example against Redlock needs, and what antirez answers that the page does not say.
 *
 * What breaks it: the answers may have waited, in the network or in front of a process that stood still, for longer
 * than the keys stand. They still say yes.
 */
export const redlockOneLook: Recipe = {
  name: 'redlock-one-look',
  flaw: 'it does not look at the clock again when the answers are there, however old they are',
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
