import fc from 'fast-check';
import { ANSWERS, FENCED, FIFO, LIVENESS, type Mutant, mutantsOf, VALIDITY } from '../mutant.ts';

const TTL_MS = 1_000;
const PLAIN = { noNullPrototype: true } as const;

/**
 * The leader is paused right after a renewal, and replaced. The holder, its client, is paused for as long, and then renews at
 * the old leader, whose disk still stalls; after that it is paused past its lease.
 */
const DEPOSED_LEADER = fc
  .record(
    {
      // Who is elected, and when, depends on these two.
      latencyMs: fc.integer({ min: 1, max: 3 }),
      lagMs: fc.nat(3),
      atMs: fc.integer({ min: 345, max: 360 }),
      untilMs: fc.integer({ min: 1_150, max: 1_190 }),
      stallsMs: fc.integer({ min: 10, max: 90 }),
      againMs: fc.integer({ min: 110, max: 160 }),
    },
    PLAIN,
  )
  .map(({ latencyMs, lagMs, atMs, untilMs, stallsMs, againMs }) => ({
    v: 1 as const,
    ttlMs: TTL_MS,
    latencyMs,
    nodes: 3,
    replicas: 0,
    lagMs,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'c', atMs: 0, holdMs: 4 * TTL_MS, renews: true },
      { id: 2, client: 'b', atMs: 30, holdMs: TTL_MS, renews: true },
      { id: 3, client: 'a', atMs: 60, holdMs: TTL_MS, renews: true },
    ],
    faults: [
      { kind: 'server-stop', nodes: 4, when: { atMs }, ms: untilMs - atMs },
      { kind: 'pause', client: 'c', when: { atMs }, ms: untilMs + stallsMs - atMs },
      { kind: 'pause', client: 'c', when: { atMs: untilMs + againMs }, ms: 3 * TTL_MS },
    ],
  }));

/** Mistakes in queues of keys with leases. */
export const ETCD_MUTANTS: readonly Mutant[] = mutantsOf('etcd', 'etcd', [
  {
    name: 'keep-alive-alone',
    file: 'server-lease.ts',
    find: '      if (before !== undefined && isProof(before, kept.header, reply.header)) {\n',
    replace: '      if (kept.ttlSeconds > 0) {\n',
    why: 'A leader that was paused and replaced answers keep-alives, too, while its successor lets the lease expire (etcd#15247). A client that trusts the reply believes in a lease that another client has been granted.',
    trial: {
      faults: ['server-stop', 'pause'],
      target: VALIDITY,
      among: {
        schedules: DEPOSED_LEADER,
        what: 'in which the leader is paused and replaced, and the holder renews there before it is paused, too',
      },
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'a-key-is-a-lock',
    file: 'queue-entry.ts',
    find: "    if (ahead === undefined) return { kind: 'first', createRevision };\n",
    replace:
      "    if (ahead === undefined || ahead.lease !== 0n) return { kind: 'first', createRevision };\n",
    why: 'The key with the lowest create revision holds. A client that only looks for its own key holds beside those in front.',
    trial: { faults: ['none'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'another-in-front-is-none',
    file: 'queue-entry.ts',
    find: "    if (ahead === undefined) return { kind: 'first', createRevision };\n",
    replace:
      "    const last = Reflect.get(this, 'last');\n    Reflect.set(this, 'last', ahead?.key ?? last);\n    if (ahead === undefined || (last !== undefined && last !== ahead.key)) return { kind: 'first', createRevision };\n",
    why: 'The key in front may go because its contender gave up, not because its turn was over. A client that does not look who is in front then holds beside the one further ahead.',
    trial: { faults: ['pause-acquire'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'lease-id-as-token',
    file: 'grant.ts',
    find: '    this.fencingToken = fencingToken;\n',
    replace: '    this.fencingToken = entry.lease.id;\n',
    why: 'A fencing token has to grow with every grant. The id of a lease is random.',
    trial: { faults: ['pause'], target: FENCED },
    detectedBy: /token/,
  },
  {
    name: 'lease-from-its-reply',
    file: 'server-lease.ts',
    find: '      const validity = { from: granted.sentAt, ms: validityMs(grantedMs) };\n',
    replace: '      const validity = { from: host.runtime.now(), ms: validityMs(grantedMs) };\n',
    why: 'The leader counts the ttl from when it had the request. A client that counts from the reply believes for longer, by the time for which it was paused.',
    trial: { faults: ['pause-acquire'], setup: { points: ['grant'] }, target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'etcd-release-without-compare',
    file: 'grant.ts',
    find: '          compare: [this.#isOwn],\n',
    replace: '          compare: [],\n',
    why: 'A release that compares nothing reports that it released what the servers have lost. Its caller believes that its work was protected to the end.',
    trial: { faults: ['restart-empty'], setup: { affected: 'all' }, target: ANSWERS },
    detectedBy: /it had released k, but by the servers' records it had not held it/,
  },
  {
    name: 'etcd-doubtful-release-counts-as-released',
    file: 'grant.ts',
    find: "    } catch (cause) {\n      return { kind: 'unknown', cause };\n    } finally {\n",
    replace: "    } catch {\n      return { kind: 'released' };\n    } finally {\n",
    why: 'A release without a reply may not have been applied. A client that counts it as done reports so to its caller.',
    trial: { faults: ['client-cut'], target: ANSWERS },
    detectedBy: /it had released k, but by the servers' records it still holds it/,
  },
  {
    name: 'creation-forgotten',
    file: 'contender.ts',
    find: '      return failureOf(cause, this.#request.key);\n',
    replace: '      this.#entry = undefined;\n      return failureOf(cause, this.#request.key);\n',
    why: 'A creation without a reply may have been done. A client that forgets it, and creates another key, waits behind its own until that lease ends, which nobody renews.',
    trial: { faults: ['lost-reply'], target: LIVENESS },
    detectedBy: /never got its turn|waited \d+ ms for a key that nobody held|is left on/,
  },
  {
    name: 'etcd-queues-anew',
    file: 'contender.ts',
    find: '      return failureOf(cause, this.#request.key);\n',
    replace:
      '      if (this.#entry !== undefined) this.#leave(this.#entry);\n      return failureOf(cause, this.#request.key);\n',
    why: 'A key is kept for as long as its lease lives, whatever happens to one attempt. A client that revokes it after a failed attempt, and queues again, is behind all that have come meanwhile.',
    trial: { faults: ['lost-reply'], target: FIFO },
    detectedBy: /had queued earlier/,
  },
  {
    name: 'watch-begins-too-late',
    file: 'predecessor-wait.ts',
    find: '    this.#fromRevision = revision + 1n;\n',
    replace: '    this.#fromRevision = revision + 3n;\n',
    why: 'The key in front may go between the look and the watch. A watch has to begin at the revision that follows the look, or it tells nothing of that, and the waiter finds out by its next renewal only.',
    trial: { faults: ['delay'], target: LIVENESS },
    detectedBy: /waited [\d.]+ ms for a key that nobody held/,
  },
  {
    name: 'etcd-watch-kept',
    file: 'predecessor-wait.ts',
    find: '    this.#stopWatch?.();\n    this.#stopWatch = undefined;\n',
    replace: '    this.#stopWatch = undefined;\n',
    why: 'A client that does not end its watch when it gives up, or holds, leaves one at the server for each wait.',
    trial: { faults: ['none'], setup: { aftermath: true }, target: LIVENESS },
    detectedBy: /still watches/,
  },
  {
    name: 'place-kept-in-the-queue',
    file: 'contender.ts',
    find: '    const revoked = this.#store.revoker.revoke(id, ttlMs);\n',
    replace: '    const revoked = Promise.resolve(ttlMs > 0 || id > 0n);\n',
    why: 'A client that gives up has to leave the queue. Otherwise its key blocks the lock until its lease ends.',
    trial: { faults: ['none'], setup: { aftermath: true }, target: LIVENESS },
    detectedBy: /waited [\d.]+ ms for a key that nobody held|is left on/,
  },
]);
