import { COMPARE_AND_DELETE, type Recipe } from '../recipe.ts';

/**
 * DO NOT USE. Redlock with tokens: every server counts, and the largest count of those that agreed is the token.
 *
 * Where it comes from: the usual proposal after reading that Redlock has no fencing tokens.
 *
 * What breaks it: two majorities may share only one server, and its count need not be the largest.
 */
export const redlockCounters: Recipe = {
  name: 'redlock-counters',
  flaw: 'its tokens may go backwards, because servers that count independently do not agree',
  expires: true,
  validity: 'from-request',
  value: (id) => id,

  async take({ lock, value, ttlMs, sendAll }) {
    const replies = await sendAll('EVAL', VOTE, '2', lock, `${lock}:token`, value, ttlMs);
    const counts = replies.flatMap((reply) => (typeof reply === 'number' ? reply : []));
    const votes = counts.filter((count) => count > 0);
    if (votes.length > replies.length / 2) return BigInt(Math.max(...votes));
    await sendAll('EVAL', COMPARE_AND_DELETE.source, '1', lock, value);
    return false;
  },

  async give({ lock, value, sendAll }) {
    const replies = await sendAll('EVAL', COMPARE_AND_DELETE.source, '1', lock, value);
    return replies.includes(1);
  },
};

/** KEYS[1] the lock, KEYS[2] the counter; ARGV[1] the value, ARGV[2] its ttl. Returns the new count, or 0 if taken. */
const VOTE = `if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
return redis.call('INCR', KEYS[2])`;
