import type { FaultId } from '@holdfast/core';
import { LIVENESS, type Mutant } from '../mutant.ts';

type LivenessMutant = Omit<Mutant, 'package' | 'trial'> & {
  readonly of: 'redis-simple' | 'redlock' | 'zk';
  readonly fault?: FaultId;
};

/** Mistakes that do not affect safety: a client waits too long, or state is never cleaned up. */
export const LIVENESS_MUTANTS: readonly Mutant[] = (
  [
    {
      name: 'deaf-and-never-looks',
      of: 'redis-simple',
      fault: 'lost-wakeup',
      file: 'contender.ts',
      find: '    const retryAfterMs = Math.min(holderRemainingMs + jitterMs, SAFETY_POLL_MS);\n',
      replace: '    const retryAfterMs = 1e6 * (holderRemainingMs + jitterMs);\n',
      why: 'A subscription may go silent without a word. Whoever looks again only when it is told to waits for ever, beside a key that is free.',
      detectedBy: /waited \d+ ms for a key that nobody held, after the faults/,
    },
    {
      name: 'release-without-news',
      of: 'redis-simple',
      file: 'scripts.ts',
      find: "redis.pcall('PUBLISH', KEYS[2], 'released')\n",
      replace: '',
      why: 'A release that tells nobody leaves the waiters to their polls: the key is free, and they sleep on until the ttl that they have seen is over.',
      detectedBy: /waited \d+ ms for a key that nobody held/,
    },
    {
      name: 'subscription-kept',
      of: 'redis-simple',
      file: 'contender.ts',
      find: '  withdraw(): Promise<Withdrawal> {\n    this.#wakeUp?.close();\n',
      replace: '  withdraw(): Promise<Withdrawal> {\n',
      why: 'A waiter that gave up goes on listening: with every wait that ends in vain the server and the client keep one subscription more.',
      detectedBy: /subscriptions are left/,
    },
    {
      name: 'quiet-release-of-a-majority',
      of: 'redlock',
      file: 'node-calls.ts',
      find: 'quietly ? [owner, QUIETLY] : [owner]',
      replace: '[owner, QUIETLY]',
      why: 'Waiters are left alone by a lost vote; whoever leaves them alone by the release of a hold, too, has them sleep until the ttl that they have seen is over.',
      detectedBy: /waited \d+ ms for a key that nobody held/,
    },
    {
      name: 'split-votes-in-step',
      of: 'redlock',
      file: 'validity.ts',
      find: '  return random * Math.min(spreadMsMax, spreadMs);\n',
      replace: '  return 0 * random * Math.min(spreadMsMax, spreadMs);\n',
      why: 'Contenders that split the votes and come back at once, in step, split them again: nobody gets a key that everybody wants.',
      detectedBy: /waited \d+ ms for a key that nobody held|it never comes to an end/,
    },
    {
      name: 'place-kept-after-giving-up',
      of: 'zk',
      file: 'contender.ts',
      find: '    const isUndone = await this.#undoEntry();\n',
      replace: '    const isUndone = true;\n',
      why: 'A wait that was given up leaves its node in the queue, and it lives as long as the session: its turn comes, and nobody is there.',
      detectedBy: /waited \d+ ms for a key that nobody held|the node .* is left/,
    },
    {
      name: 'release-tried-once',
      of: 'zk',
      fault: 'client-cut',
      file: 'node-deleter.ts',
      find: '        isDoubtful ||= cause instanceof SessionDoubt;\n',
      replace: "        return 'vanished';\n",
      why: 'A release that meets a lost connection and is not sent again leaves its node: the session lives on, nobody holds the key, and everybody waits behind the node for as long as the process lives (CURATOR-678).',
      detectedBy: /waited \d+ ms for a key that nobody held|the node .* is left/,
    },
    {
      name: 'watch-kept',
      of: 'zk',
      file: 'queue-wait.ts',
      find: '    this.#watched?.unwatch();\n',
      replace: '',
      why: 'Whoever gave up waiting still watches the node in front. Most watches end by themselves; those on nodes that stay do not.',
      detectedBy: /still watches/,
    },
    {
      name: 'heartbeat-outlives-session',
      of: 'zk',
      file: 'session-handle.ts',
      find: '    this.heartbeat.stop();\n',
      replace: '',
      why: 'A session that has ended needs no heartbeat. Its timer goes on after the backend was closed.',
      detectedBy: /has closed, and one of its timers/,
    },
  ] satisfies readonly LivenessMutant[]
).map(({ of, fault = 'none', ...mistake }: LivenessMutant) => ({
  ...mistake,
  package: of,
  trial: { subject: of, faults: [fault], setup: { aftermath: true }, target: LIVENESS },
}));
