import { LIVENESS, type Mutant, OWNERSHIP, VALIDITY } from '../mutant.ts';
import { LATE_UNDO } from './late-undo.ts';

type RedlockMutant = Omit<Mutant, 'package' | 'trial'> & {
  readonly trial: Omit<Mutant['trial'], 'subject'>;
};

/** Mistakes in locks on a majority of nodes. */
export const REDLOCK_MUTANTS: readonly Mutant[] = (
  [
    {
      name: 'quorum-one-short',
      file: 'validity.ts',
      find: '  return Math.floor(nodes / 2) + 1;\n',
      replace: '  return Math.floor(nodes / 2);\n',
      why: 'Only a majority shares a node with every other majority: two halves of five have room beside each other.',
      trial: { faults: ['delay'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'majority-of-those-that-answered',
      file: 'redlock.ts',
      find: '    const isMajority = countAgreed(replies) >= quorum;\n',
      replace: '    const isMajority = 2 * countAgreed(replies) > countAnswered(replies);\n',
      why: 'A majority is one of all nodes. Of those that happen to answer, two contenders with different nodes out of reach can both have one.',
      trial: { faults: ['client-cut'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'long-votes-are-stale',
      file: 'scripts/acquire.ts',
      find: 'if holder ~= contender or tonumber(m) >= tonumber(n) then',
      replace:
        "if (holder ~= contender or tonumber(m) >= tonumber(n)) and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then",
      why: 'A vote that has more than a whole ttl left looks like rubbish. It is what a clock that was set back makes of a good one, and it is taken from its holder.',
      trial: { faults: ['server-clock-back'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'no-elapsed-check',
      file: 'grant.ts',
      find: '    this.validity = { from: request.from, ms: validityMs(request.ttlMs) };\n',
      replace:
        '    this.validity = { from: store.host.runtime.now(), ms: validityMs(request.ttlMs) };\n',
      why: 'Validity is the ttl less what the vote took. Whoever counts a whole ttl from the vote believes for longer than the nodes that agreed first.',
      trial: {
        faults: ['delay'],
        // Five nodes agree within a few round trips: what that takes of a longer lease goes unnoticed less often.
        setup: { ttlTimes: 4 },
        target: VALIDITY,
      },
      detectedBy: /both held k validly/,
    },
    {
      name: 'late-vote-counted',
      file: 'node-vote.ts',
      find: "      if (failure.kind === 'unknown') this.#addUnresolved(owner, from, cause);\n",
      replace: "      if (failure.kind === 'unknown') return { kind: 'agreed' };\n",
      why: 'A node that did not answer in time may have given its vote to somebody else, and an undo is on its way to it: its vote counts for nothing, whatever it says later.',
      trial: { faults: ['delay'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'heal-same-n',
      file: 'healing.ts',
      find: '    this.#n += 1;\n',
      replace: '',
      why: 'A node that did not answer the attempt is asked again under the number that was undone there. The undo lands late, and deletes a vote that renewals count by then.',
      trial: {
        faults: ['reorder', 'client-cut'],
        among: {
          schedules: LATE_UNDO,
          what: 'in which what a holder first sends to two of five nodes is late on connections that it gives up, and it is cut from two others',
        },
        target: VALIDITY,
      },
      detectedBy: /both held k validly/,
    },
    {
      name: 'vote-that-is-gone-counted',
      file: 'node-vote.ts',
      find: '    const reply = await this.#sendRenewal(owner, request);\n',
      replace: '    const reply = (await this.#sendRenewal(owner, request)) === null ? null : 1;\n',
      why: 'A node that restarted without its data answers a renewal, but has no vote any more. Whoever takes the answer for a vote has none left after a rolling restart, and never asks for one.',
      trial: { faults: ['restart-empty'], setup: { variation: 'rolling' }, target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'healed-once-a-round',
      file: 'healing.ts',
      find: 'const ATTEMPTS_MAX = 6;\n',
      replace: 'const ATTEMPTS_MAX = 1;\n',
      why: 'A waiter has the vote of an emptied node for a moment, while it finds no majority. A healing that meets it, and waits for the next renewal to try again, comes too late where the next node is emptied before that.',
      trial: {
        faults: ['restart-empty'],
        setup: { variation: 'rolling', nodes: 3 },
        target: VALIDITY,
      },
      detectedBy: /both held k validly/,
    },
    {
      name: 'redlock-owner-value-reused',
      file: 'redlock.ts',
      find: '    this.#n += 1;\n',
      replace: '    this.#n = 1;\n',
      why: 'The undo of an attempt that was given up may land late. When the next attempt writes the same value, the undo deletes the votes that it has won.',
      trial: { faults: ['lost-reply'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'renewed-by-any-node',
      file: 'grant.ts',
      find: '    if (kept >= quorum && isValid) {\n',
      replace: '    if (kept >= 1 && isValid) {\n',
      why: 'One node that renewed is no majority: the others may give their votes to somebody else.',
      trial: { faults: ['client-cut'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'redlock-release-without-compare',
      file: 'scripts/release.ts',
      find: "if redis.call('GET', KEYS[1]) ~= ARGV[1] then",
      replace: "if not redis.call('GET', KEYS[1]) then",
      why: 'A release goes to all nodes. Without a comparison whoever lost a vote deletes the votes of the winner, and whoever is late those of its successor.',
      trial: { faults: ['pause'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'redlock-late-release-without-compare',
      file: 'scripts/release.ts',
      find: "if redis.call('GET', KEYS[1]) ~= ARGV[1] then",
      replace: "if ARGV[2] == 'quietly' and redis.call('GET', KEYS[1]) ~= ARGV[1] then",
      why: 'What a lost vote gives back is compared here, and what a holder gives back is not: it was its own, after all. One that stood still past its lease deletes the votes of its successor.',
      trial: { faults: ['pause'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'redlock-extend-without-compare',
      file: 'scripts/renew.ts',
      find: 'if held ~= ARGV[1] then',
      replace: 'if not held then',
      why: 'A renewal goes to all nodes. Without a comparison it prolongs votes that others have won by then, and counts them as its own.',
      trial: { faults: ['client-cut'], target: OWNERSHIP },
      detectedBy: /renew of . prolonged .* where a hold of . stood/,
    },
    {
      name: 'redlock-partial-wins-kept',
      file: 'redlock.ts',
      find: '    await this.#releaseAll(votes, replies, deadlineMs);\n',
      replace: '',
      why: 'Votes of an attempt that got no majority have to be given back. Whoever leaves them to their ttl blocks everybody else, who leave theirs in turn.',
      trial: { faults: ['none'], setup: { aftermath: true }, target: LIVENESS },
      detectedBy:
        /waited \d+ ms for a key that nobody held|never got its turn|never comes to an end|is left/,
    },
    {
      name: 'redlock-no-ttl',
      file: 'scripts/acquire.ts',
      find: "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n",
      replace: "redis.call('SET', KEYS[1], ARGV[1])\n",
      why: 'A vote without a ttl outlives a holder that died, for ever.',
      trial: { faults: ['holder-crash'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
    {
      name: 'redlock-seconds-for-milliseconds',
      file: 'scripts/acquire.ts',
      find: "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n",
      replace: "redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])\n",
      why: 'EX counts in seconds. The votes stand a thousand times as long as was meant, which nobody notices until a holder dies.',
      trial: { faults: ['holder-crash'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
    {
      name: 'redlock-waits-for-news-alone',
      file: 'outcome.ts',
      find: "  return { kind: 'busy', holderRemainingMs, retryAfterMs, notBeforeMs };\n",
      replace: "  return { kind: 'busy', holderRemainingMs, notBeforeMs };\n",
      why: 'A notification may be lost, and a vote that expires sends none: a waiter that looks at no clock waits for ever.',
      trial: { faults: ['holder-crash'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
    {
      name: 'redlock-takes-over-any-smaller-attempt',
      file: 'scripts/acquire.ts',
      find: 'if holder ~= contender or tonumber(m) >= tonumber(n) then',
      replace: 'if tonumber(m) >= tonumber(n) then',
      why: 'A retry may take over the vote of its own earlier attempt. Whoever forgets to ask whose attempt it was takes the votes of anybody who was lucky at once.',
      trial: { faults: ['none'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
  ] satisfies readonly RedlockMutant[]
).map((mistake) => ({
  ...mistake,
  package: 'redlock',
  trial: { ...mistake.trial, subject: 'redlock' },
}));
