import type { FaultId } from '@holdfast/core/backend';
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
      find: '    const retryAfterMs = Math.min((holderRemainingMs ?? pollMs) + jitterMs, pollMs);\n',
      replace: '    const retryAfterMs = 1e6 * ((holderRemainingMs ?? pollMs) + jitterMs);\n',
      why: 'A subscription may go silent without an error. A client that checks only after a notification waits without end, beside a free key.',
      detectedBy: /waited \d+ ms for a key that nobody held, after the faults/,
    },
    {
      name: 'release-without-news',
      of: 'redis-simple',
      file: 'scripts.ts',
      find: "redis.pcall('PUBLISH', KEYS[2], 'released')\n",
      replace: '',
      why: 'A release without a notification leaves the waiters to their polls: the key is free, and they sleep until the ttl that they have read is over.',
      detectedBy: /waited \d+ ms for a key that nobody held/,
    },
    {
      name: 'subscription-kept',
      of: 'redis-simple',
      file: 'contender.ts',
      find: '  withdraw(): Promise<Withdrawal> {\n    this.#wakeUp?.close();\n',
      replace: '  withdraw(): Promise<Withdrawal> {\n',
      why: 'A waiter that gave up keeps listening: with every unsuccessful wait the server and the client keep one subscription more.',
      detectedBy: /subscriptions are left/,
    },
    {
      name: 'quiet-release-of-a-majority',
      of: 'redlock',
      file: 'node-calls.ts',
      find: 'quietly ? [owner, QUIETLY] : [owner]',
      replace: '[owner, QUIETLY]',
      why: 'A lost vote sends no notification. If the release of a hold sends none either, waiters sleep until the ttl that they have read is over.',
      detectedBy: /waited \d+ ms for a key that nobody held/,
    },
    {
      name: 'split-votes-in-step',
      of: 'redlock',
      file: 'validity.ts',
      find: '  return random * Math.min(spreadMsMax, spreadMs);\n',
      replace: '  return 0 * random * Math.min(spreadMsMax, spreadMs);\n',
      why: 'Contenders that split the votes and retry at once, in step, split them again: no client gets a key that all want.',
      detectedBy: /waited \d+ ms for a key that nobody held|it never comes to an end/,
    },
    {
      name: 'place-kept-after-giving-up',
      of: 'zk',
      file: 'contender.ts',
      find: '    const isUndone = await this.#undoEntry();\n',
      replace: '    const isUndone = true;\n',
      why: 'A wait that was given up leaves its node in the queue, as long as the session lives: its turn comes, and no client takes it.',
      detectedBy: /waited \d+ ms for a key that nobody held|the node .* is left/,
    },
    {
      name: 'release-tried-once',
      of: 'zk',
      fault: 'client-cut',
      file: 'node-deleter.ts',
      find: '        isDoubtful ||= cause instanceof SessionDoubt;\n',
      replace: "        return 'vanished';\n",
      why: 'A release that meets a lost connection and is not sent again leaves its node. The session lives, no client holds the key, and all wait behind the node for as long as the process lives (CURATOR-678).',
      detectedBy: /waited \d+ ms for a key that nobody held|the node .* is left/,
    },
    {
      name: 'watch-kept',
      of: 'zk',
      file: 'queue-wait.ts',
      find: '    this.#watched?.unwatch();\n',
      replace: '',
      why: 'A client that gave up waiting still watches the node in front. Most watches end by themselves; those on nodes that stay do not.',
      detectedBy: /still watches/,
    },
    {
      name: 'heartbeat-outlives-session',
      of: 'zk',
      file: 'session-handle.ts',
      find: '    this.heartbeat.stop();\n',
      replace: '',
      why: 'A session that has ended needs no heartbeat. Its timer keeps running after the backend was closed.',
      detectedBy: /has closed, and one of its timers/,
    },
  ] satisfies readonly LivenessMutant[]
).map(({ of, fault = 'none', ...mistake }: LivenessMutant) => ({
  ...mistake,
  package: of,
  trial: { subject: of, faults: [fault], setup: { aftermath: true }, target: LIVENESS },
}));
