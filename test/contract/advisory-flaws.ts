/** The rules that session locks break, in the simulator and on real servers. */
export const ADVISORY_FLAWS = {
  'a lease without renewal ends: the next client acquires the key, but never within the validity':
    'the server frees all locks of a session when it ends, before the holder knows',
};
