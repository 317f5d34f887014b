// A foreign lock: SET NX PX with its own id, released by a script that compares the id. It looks correct, and most
// faults do not break it. But its lease counts from the arrival of the reply, while Redis counts from the arrival of
// the request. A process that is paused in between believes in its lease for longer than its key exists: two clients
// hold at once. The fault `pause-acquire` shows it. redis-simple survives that fault: its leases count from the send
// time.
//
// Run it: npx holdfast compare --with ./examples/counts-from-the-reply.js --faults none,pause-acquire

/** The servers that the simulator opens it on. */
export const deployment = { needs: 'redis' };

const CALL_MS = 500;
const RELEASE = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`,
};

/** As for `openLocks`: `node` is a Redis server, here a simulated one. */
export async function openBackend({ node }, { runtime }) {
  const deadline = () => ({ deadlineMs: runtime.now().monotonicMs + CALL_MS });

  async function attempt(key, id, ttlMs) {
    const reply = await node.command(['SET', key, id, 'NX', 'PX', `${ttlMs}`], deadline());
    if (reply !== 'OK') return { kind: 'busy' };
    // The mistake: the request may have been sent, and the key set, long before.
    const validity = { from: runtime.now(), ms: ttlMs * 0.98 };
    const release = () => released(key, id).catch((cause) => ({ kind: 'unknown', cause }));
    return { kind: 'granted', grant: { owner: id, leaseMs: ttlMs, validity, release } };
  }

  async function released(key, id) {
    const removed = await node.script(RELEASE, [key], [id], deadline());
    return { kind: removed === 1 ? 'released' : 'not-held' };
  }

  return {
    name: 'counts-from-the-reply',
    capabilities: {
      lease: 'per-call-ttl',
      timeAuthority: 'server',
      consistency: 'ap',
      fencing: 'none',
      queue: 'none',
      wakeUp: 'poll',
    },
    contend: ({ key, contender, ttlMs = 30_000 }) => ({
      attempt: () => attempt(key, contender, ttlMs).catch((cause) => ({ kind: 'unknown', cause })),
      withdraw: async () => ({ kind: 'unknown', untilMs: ttlMs }),
    }),
    close: async () => {},
  };
}
