import { readFileSync } from 'node:fs';
import { edited, type Mutable, type Mutant } from './mutant.ts';
import { sourceOf } from './targets.ts';

/** The reason why no test can tell a mutant from the correct lock. */
interface EquivalenceReason {
  readonly in: `${Mutable}/${string}`;
  /** The line that it changes, trimmed. */
  readonly line: string;
  /** The text of the mutant; a dropped statement leaves `;`. */
  readonly wrong: string;
  readonly because: string;
}

const SAME_EXPIRY = 'what has exactly the ttl left is given the expiry that it has';
const WAKES_ONCE =
  'a wait that is over resolves no second time, and the set ends with its contender';
const AWAITED_ANYWAY = 'an async function that returns a promise waits for it all the same';
const ROUNDS_DIFFER = 'all that matters is that one round has another number than the next';
const CLOSES_ALONE = 'nobody waits for the end of it, and a session never refuses to be closed';
const RACED =
  'whoever asks for it races it against a deadline at once, and a race takes up all that fails in it';
const NOTHING_TO_WAIT_FOR = 'nothing at all is answered at once';
const SHOWS_IN_FRONT =
  'a change shows in the one in front as well: it has changed, or nobody watches it yet';

const REASONS: readonly EquivalenceReason[] = [
  {
    in: 'core/lease-clock.ts',
    line: 'if (this.#maxHoldMs === Number.POSITIVE_INFINITY) return leftMs;',
    wrong: ';',
    because:
      'of a time without end as much is left however long it was held, and the rest is the same',
  },
  {
    in: 'core/lease-controller.ts',
    line: "const isLeaked = this.#state === 'lost' && this.#lossReason === 'leaked';",
    wrong: "const isLeaked = (this.#state === 'lost' || this.#lossReason === 'leaked');",
    because: 'of the leases that were lost only a leaked one is abandoned: the others are over',
  },
  {
    in: 'core/lease-controller.ts',
    line: 'this.#cancelLossListener = undefined;',
    wrong: ';',
    because: 'a hold ends once, and nobody asks for it after that',
  },
  {
    in: 'core/lease-controller.ts',
    line: "if (host.hears?.('renewed') === false) return;",
    wrong: ';',
    because: 'an event that nobody hears costs two readings of a clock, and does nothing',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'if (this.#cancelTimer !== undefined && this.#armedForMs <= firstMs) return;',
    wrong: 'if (this.#cancelTimer !== undefined && this.#armedForMs < firstMs) return;',
    because: 'a timer for the same time rings as the one that it replaces would have',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'first !== undefined && (this.#dueMs[0] ?? 0) <= nowMs;',
    wrong: 'first !== undefined && (this.#dueMs[0] ?? 1) <= nowMs;',
    because: 'where there is a deadline there is its time',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'if (parentMs === undefined || parentMs <= dueMs) return hole;',
    wrong: 'if (parentMs === undefined || parentMs < dueMs) return hole;',
    because: 'of two that are due at the same time either may ring first',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'if (childMs >= dueMs) return hole;',
    wrong: 'if (childMs > dueMs) return hole;',
    because: 'of two that are due at the same time either may ring first',
  },
  {
    in: 'core/abort-signals.ts',
    line: 'this.#uses = 0;',
    wrong: 'this.#uses = 1;',
    because: 'the next signal is ended one wait sooner, and only fewer than ten waits are promised',
  },
  {
    in: 'core/memory/contender.ts',
    line: "signal.addEventListener('abort', () => resume(), { once: true });",
    wrong: "signal.addEventListener('abort', () => resume(), { ...{} });",
    because: 'a signal is aborted once',
  },
  ...(['redis-simple', 'redlock'] as const).map((of) => ({
    in: `${of}/scripts.ts` as const,
    line: "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then",
    wrong: "if redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then",
    because: SAME_EXPIRY,
  })),
  {
    in: 'redis-simple/grant.ts',
    line: 'if (lifetime.ms > leftMs(this.#lifetime, this.#store.host.runtime)) this.#longer = lifetime;',
    wrong:
      'if (lifetime.ms >= leftMs(this.#lifetime, this.#store.host.runtime)) this.#longer = lifetime;',
    because: 'of two lives that end at the same moment either may be kept',
  },
  {
    in: 'redis-simple/contender.ts',
    line: "signal.addEventListener('abort', () => resolve(), { once: true });",
    wrong: "signal.addEventListener('abort', () => resolve(), { once: false });",
    because: 'a signal is aborted once',
  },
  {
    in: 'redis/recipe/wake-up.ts',
    line: 'this.#waits.delete(wake);',
    wrong: ';',
    because: WAKES_ONCE,
  },
  {
    in: 'redis/recipe/wake-up.ts',
    line: 'nodeSubscription.subscription = undefined;',
    wrong: ';',
    because: 'a subscription that is closed once more stays closed',
  },
  {
    in: 'redis/recipe/backend.ts',
    line: 'if (pendingReleases === undefined && !ownsNodes) return Promise.resolve();',
    wrong: ';',
    because: 'what has nothing to end ends at once',
  },
  {
    in: 'redis/recipe/key-prefix.ts',
    line: 'if (!NEEDS_ESCAPE.test(text)) return text;',
    wrong: ';',
    because: 'a text in which nothing is to be escaped stays as it is',
  },
  {
    in: 'redis/recipe/unresolved-attempts.ts',
    line: 'const undone = isOrdered ? cause.undone : Promise.resolve(false);',
    wrong: 'const undone = isOrdered ? cause.undone : Promise.resolve(true);',
    because: 'of an attempt without an undo behind it all that matters is that none is waited for',
  },
  {
    in: 'redis/recipe/operator.ts',
    line: 'if (cluster !== undefined) return await clusterHealth(cluster, address, host);',
    wrong: 'if (cluster !== undefined) return clusterHealth(cluster, address, host);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'redis/recipe/unresolved-attempts.ts',
    line: 'if (this.#open.size > 0) await this.#awaitUndos();',
    wrong: 'if (this.#open.size >= 0) await this.#awaitUndos();',
    because: NOTHING_TO_WAIT_FOR,
  },
  {
    in: 'redlock/healing.ts',
    line: '#round = 0;',
    wrong: '#round = 1;',
    because: ROUNDS_DIFFER,
  },
  {
    in: 'redlock/healing.ts',
    line: 'this.#round += 1;',
    wrong: 'this.#round -= 1;',
    because: ROUNDS_DIFFER,
  },
  {
    in: 'redlock/healing.ts',
    line: 'return await new Promise((resolve) => {',
    wrong: 'return new Promise((resolve) => {',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'redlock/node-calls.ts',
    line: 'if (lifetime.ms > this.leftMs) this.#lifetime = lifetime;',
    wrong: 'if (lifetime.ms >= this.leftMs) this.#lifetime = lifetime;',
    because: 'of two lives that end at the same moment either may be kept',
  },
  {
    in: 'redlock/node-calls.ts',
    line: '#ttlMs = 0;',
    wrong: '#ttlMs = 1;',
    because: 'it is set by the question, before anybody looks',
  },
  {
    in: 'redlock/node-calls.ts',
    line: 'return this.#lifetime === undefined ? 0 : leftMs(this.#lifetime, runtime);',
    wrong: 'return this.#lifetime === undefined ? 1 : leftMs(this.#lifetime, runtime);',
    because: 'before the first question nothing may stand, and every life is longer than 1 ms',
  },
  {
    in: 'redlock/node-vote.ts',
    line: 'return await this.#released;',
    wrong: 'return this.#released;',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'redlock/node-vote.ts',
    line: "if (!this.#vote.counts) return 'gone';",
    wrong: ';',
    because: 'a grant renews what counts or is being asked for, and what is has its answer already',
  },
  {
    in: 'redlock/node-calls.ts',
    line: 'return registry.has(node) ? this.#agreed() : await this.#onceAdmitted(request);',
    wrong: 'return registry.has(node) ? this.#agreed() : this.#onceAdmitted(request);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'redlock/node-calls.ts',
    line: 'this.#run = registry.runOf(node);',
    wrong: ';',
    because:
      'an agreement sets it once more, and a request in doubt is undone again and again, whatever its node says',
  },
  {
    in: 'redlock/node-registry.ts',
    line: 'await this.ensureAdmitted(node).catch(() => undefined);',
    wrong: 'this.ensureAdmitted(node).catch(() => undefined);',
    because: 'nobody waits for the end of it, and it never rejects',
  },
  {
    in: 'redlock/redlock.ts',
    line: 'const releases = this.#leftoverVotes.map(async ({ released }) => await released);',
    wrong: 'const releases = this.#leftoverVotes.map(async ({ released }) => released);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'redlock/redlock.ts',
    line: 'if (releases.length > 0) await this.#within(callDeadlineMs(this.#ttlMs), Promise.all(releases));',
    wrong:
      'if (releases.length >= 0) await this.#within(callDeadlineMs(this.#ttlMs), Promise.all(releases));',
    because: NOTHING_TO_WAIT_FOR,
  },
  {
    in: 'core/requested-renewal.ts',
    line: 'if (validityMs(ttlMs) < lease.remainingMs()) lease.watchdog.shorten(ttlMs);',
    wrong: 'if (validityMs(ttlMs) <= lease.remainingMs()) lease.watchdog.shorten(ttlMs);',
    because:
      'both leave the same deadline, and the next renewal at a third of the old ttl or of the new',
  },
  {
    in: 'core/requested-renewal.ts',
    line: 'if (context.canAdopt && (grant.export === undefined || (lease.handles?.count ?? 1) > 1))',
    wrong:
      'if (context.canAdopt && (grant.export === undefined || (lease.handles?.count ?? 0) > 1))',
    because: 'all that matters of a hold without further handles is that it has no more than one',
  },
  {
    in: 'core/wait-loop.ts',
    line: 'if (won !== undefined) return this.#owner.onEnded(won);',
    wrong: ';',
    because:
      'the loop looks at the same grant in the same step, and ends with it: it only costs more',
  },
  {
    in: 'core/acquirer.ts',
    line: 'await Promise.resolve();',
    wrong: 'Promise.resolve();',
    because:
      'of the second such line: a caller that still needs the backend is among those that are waited for',
  },
  {
    in: 'core/lock-calls.ts',
    line: 'return await runWithLease<T, AnyLease>(lease, controllerFor(lease), run, () => lease.release());',
    wrong:
      'return runWithLease<T, AnyLease>(lease, controllerFor(lease), run, () => lease.release());',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'core/lock-calls.ts',
    line: 'if (options === undefined) return NO_OPTIONS;',
    wrong: ';',
    because: 'what is read where there are no options is none of them, too',
  },
  {
    in: 'core/bound-lock.ts',
    line: 'await locks.acquire(key, mergeOptions(bound, more), mode),',
    wrong: 'locks.acquire(key, mergeOptions(bound, more), mode),',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'core/renewer.ts',
    line: "return renewal.kind === 'renewed' ? { kind: 'lost' } : renewal;",
    wrong: "return renewal.kind !== 'renewed' ? { kind: 'lost' } : renewal;",
    because: 'whoever asked sees first that the lease is over, and looks at no answer',
  },
  {
    in: 'core/watchdog.ts',
    line: 'if (this.#lease.remainingMs() <= 0) return;',
    wrong: 'if (this.#lease.remainingMs() < 0) return;',
    because: 'to look ended the lease, and one that has ended renews nothing and arms nothing',
  },
  {
    in: 'core/lease-reference.ts',
    line: 'this.#cancelCollected = undefined;',
    wrong: ';',
    because: 'what is cancelled once more stays cancelled',
  },
  {
    in: 'core/attempt-log.ts',
    line: '#attemptMs = 0;',
    wrong: '#attemptMs = 1;',
    because: 'an attempt sets it, before anybody looks',
  },
  {
    in: 'core/wakeable-sleep.ts',
    line: 'let isDone = true;',
    wrong: 'let isDone = false;',
    because: 'a signal that nobody was lent is ended, and another made',
  },
  {
    in: 'core/wait-loop.ts',
    line: 'if (restMs > 0) await this.#sleep.sleep(restMs);',
    wrong: 'if (restMs >= 0) await this.#sleep.sleep(restMs);',
    because: 'to sleep for nothing is not to sleep',
  },
  {
    in: 'core/wait-loop.ts',
    line: 'const ms = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(this.#log.failures - 1, 10));',
    wrong:
      'const ms = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(this.#log.failures - 1, (2 * 10)));',
    because: 'ten times doubled is far beyond the longest back-off already',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'while (hole > 0) {',
    wrong: 'while (hole >= 0) {',
    because: 'the first has no parent, and goes no further',
  },
  {
    in: 'core/memory/contender.ts',
    line: '#hasChanged = false;',
    wrong: '#hasChanged = true;',
    because: 'an attempt takes it back, and a wait that comes before one stirs by subscribing',
  },
  {
    in: 'redis-getset/contender.ts',
    line: 'return await this.#takeOver(callEndMs);',
    wrong: 'return this.#takeOver(callEndMs);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'redis-getset/grant.ts',
    line: 'return await this.#release;',
    wrong: 'return this.#release;',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'core/abort-signals.ts',
    line: '#uses = 0;',
    wrong: '#uses = 1;',
    because:
      'the first signal is ended one wait sooner, and only fewer than ten waits are promised',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'this.#cancelTimer = undefined;',
    wrong: ';',
    because: 'a timer that is cancelled once more stays cancelled',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'this.#armedForMs = Number.POSITIVE_INFINITY;',
    wrong: ';',
    because: 'nobody asks what a timer is armed for that is not there',
  },
  {
    in: 'core/deadline-heap.ts',
    line: 'hole = this.#move(rightMs < leftMs ? left + 1 : left, childMs, hole);',
    wrong: 'hole = this.#move(rightMs <= leftMs ? left + 1 : left, childMs, hole);',
    because: 'of two that are due at the same time either may ring first',
  },
  {
    in: 'core/local-queue.ts',
    line: 'this.waitLoop = undefined;',
    wrong: ';',
    because: 'the next one puts its own there in the same step, and without one the line is gone',
  },
  {
    in: 'core/local-queue.ts',
    line: 'this.holder = undefined;',
    wrong: ';',
    because: 'a hold that has ended says that nothing is left of it',
  },
  {
    in: 'core/locks.ts',
    line: 'return await runWithLease(lease, controller, body, () => lease.release());',
    wrong: 'return runWithLease(lease, controller, body, () => lease.release());',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'core/owner.ts',
    line: '.decode(bytes.subarray(0, LABEL_BYTES_MAX), { stream: false })',
    wrong: '.decode(bytes.subarray(0, LABEL_BYTES_MAX), { ...{} })',
    because: 'a decoder streams only on request',
  },
  {
    in: 'core/memory/contender.ts',
    line: "signal.addEventListener('abort', () => resume(), { once: true });",
    wrong: "signal.addEventListener('abort', () => resume(), { once: false });",
    because: 'a signal is aborted once',
  },
  {
    in: 'redlock/operator.ts',
    line: 'return await Promise.all(',
    wrong: 'return Promise.all(',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'redlock/open.ts',
    line: 'await Promise.all(opened.map((node) => node.close()));',
    wrong: 'Promise.all(opened.map((node) => node.close()));',
    because: 'nothing has been asked of these nodes, so that to close them waits for nothing',
  },
  {
    in: 'core/wait-loop.ts',
    line: 'this.#callMs = request.waitMs > 0 ? Math.min(callMs, request.waitMs * LAST_CALL_SHARE) : callMs;',
    wrong:
      'this.#callMs = request.waitMs >= 0 ? Math.min(callMs, request.waitMs * LAST_CALL_SHARE) : callMs;',
    because: 'a wait of nothing is over after its first attempt, however short another one may be',
  },
  {
    in: 'core/wait-loop.ts',
    line: 'this.#cancelled ??= reason;',
    wrong: 'this.#cancelled = reason;',
    because: 'nobody is cancelled twice: the first time leaves the acquisitions and the signal',
  },
  {
    in: 'core/wakeable-sleep.ts',
    line: 'if (this.#isCancelled || ms <= 0) return;',
    wrong: 'if (this.#isCancelled || ms < 0) return;',
    because: 'nobody sleeps for nothing: every pause that is asked for is longer',
  },
  {
    in: 'core/wait-loop.ts',
    line: "if (this.#cancelled !== undefined) return { kind: 'cancelled' };",
    wrong: ';',
    because: 'whoever cancelled has rejected already, and a promise is rejected once',
  },
  {
    in: 'core/locks.ts',
    line: 'return await this.#backend.inspect(key);',
    wrong: 'return this.#backend.inspect(key);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'core/locks.ts',
    line: 'return await this.#backend.health();',
    wrong: 'return this.#backend.health();',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'core/locks.ts',
    line: 'return await this.#acquirer.acquire(request, options.signal);',
    wrong: 'return this.#acquirer.acquire(request, options.signal);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'core/abort-signals.ts',
    line: 'listenerBySignal.delete(signal);',
    wrong: ';',
    because:
      'a signal that has aborted is asked for no more, and each listener that it called removes itself',
  },
  {
    in: 'core/abort-signals.ts',
    line: "signal.addEventListener('abort', fire, { once: true });",
    wrong: "signal.addEventListener('abort', fire, { ...{} });",
    because: 'the last listener that is called removes the event listener',
  },
  {
    in: 'core/abort-signals.ts',
    line: "signal.addEventListener('abort', fire, { once: true });",
    wrong: "signal.addEventListener('abort', fire, { once: false });",
    because: 'the last listener that is called removes the event listener',
  },
  {
    in: 'zk/replacement-session.ts',
    line: 'await next.session.close();',
    wrong: 'next.session.close();',
    because: 'closing never rejects, and nobody waits to hear that there is no successor',
  },
  {
    in: 'zk/operator.ts',
    line: 'return await work(session, deadline);',
    wrong: 'return work(session, deadline);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/session-prover.ts',
    line: 'if (!this.#isCreated) return await this.#createNode();',
    wrong: 'if (!this.#isCreated) return this.#createNode();',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/session-prover.ts',
    line: 'return await this.#createNode();',
    wrong: 'return this.#createNode();',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/session-prover.ts',
    line: "if (isReplyCode(cause, 'NODEEXISTS')) return await this.#rewrite();",
    wrong: "if (isReplyCode(cause, 'NODEEXISTS')) return this.#rewrite();",
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/session-prover.ts',
    line: 'return await ensureRoots(this.#session, layout.roots, acl).then(create);',
    wrong: 'return ensureRoots(this.#session, layout.roots, acl).then(create);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/sessions.ts',
    line: 'if (this.#ended !== undefined) return await next.session.close();',
    wrong: 'if (this.#ended !== undefined) return next.session.close();',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/sessions.ts',
    line: 'else await handle.session.close();',
    wrong: 'else handle.session.close();',
    because: CLOSES_ALONE,
  },
  {
    in: 'zk/sessions.ts',
    line: 'await old.session.close();',
    wrong: 'old.session.close();',
    because: CLOSES_ALONE,
  },
  {
    in: 'zk/container.ts',
    line: 'return await this.#listed();',
    wrong: 'return this.#listed();',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/node-deleter.ts',
    line: 'const ms = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures, 10));',
    wrong: 'const ms = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures, (2 * 10)));',
    because: 'ten times doubled is far beyond the longest pause already',
  },
  {
    in: 'zk/proof-of-life.ts',
    line: 'return a !== undefined && a.monotonicMs > b.monotonicMs ? a : b;',
    wrong: 'return a !== undefined && a.monotonicMs >= b.monotonicMs ? a : b;',
    because: 'of two that left at the same moment the leader has heard, and either counts',
  },
  {
    in: 'zk/queue.ts',
    line: 'return ((a.sequence - b.sequence) | 0) < 0;',
    wrong: 'return ((a.sequence - b.sequence) | 1) < 0;',
    because: 'of two different numbers the difference keeps its sign',
  },
  {
    in: 'zk/queue-entry.ts',
    line: 'this.#isUnknown ||= cause instanceof SessionDoubt;',
    wrong: 'this.#isUnknown = cause instanceof SessionDoubt;',
    because: 'nothing is created while an earlier creation is in doubt',
  },
  {
    in: 'zk/queue-entry.ts',
    line: 'creating.catch(() => {});',
    wrong: ';',
    because: RACED,
  },
  {
    in: 'zk/queue-entry.ts',
    line: 'finding.catch(() => {});',
    wrong: ';',
    because: RACED,
  },
  {
    in: 'zk/queue-entry.ts',
    line: "return removal === 'ended' ? handle.mayBeStoredMs === 0 : removal !== 'denied';",
    wrong: "return removal === 'ended' ? handle.mayBeStoredMs === 1 : removal !== 'denied';",
    because:
      'a removal ends with its session at the moment when that ends, and then all of T is left',
  },
  {
    in: 'zk/queue-wait.ts',
    line: 'this.#predecessor = undefined;',
    wrong: ';',
    because:
      'a grant, and a withdrawal, end their contender: nobody asks it anything more, and to leave twice is to leave once',
  },
  {
    in: 'zk/queue-wait.ts',
    line: 'this.#hasChanged = true;',
    wrong: ';',
    because: SHOWS_IN_FRONT,
  },
  {
    in: 'zk/queue-wait.ts',
    line: 'this.#hasChanged = true;',
    wrong: 'this.#hasChanged = false;',
    because: SHOWS_IN_FRONT,
  },
  {
    in: 'zk/grant.ts',
    line: 'if (this.#isOver) return;',
    wrong: ';',
    because:
      'at the end of a hold: to rest, to listen and to watch no longer is done once, however often it is asked for',
  },
  {
    in: 'zk/queue-wait.ts',
    line: '#hasChanged = false;',
    wrong: '#hasChanged = true;',
    because: 'an attempt comes before every wait, and begins without a change',
  },
  {
    in: 'zk/queue-wait.ts',
    line: '#isPositionFresh = false;',
    wrong: '#isPositionFresh = true;',
    because: 'before the first attempt nobody stands in front whose watch could be live',
  },
  {
    in: 'zk/contender.ts',
    line: 'const ownMs = isUndone ? 0 : (this.#entry?.handle.mayBeStoredMs ?? 0);',
    wrong: 'const ownMs = isUndone ? 0 : (this.#entry?.handle.mayBeStoredMs ?? 1);',
    because: 'whoever has not entered has nothing to undo, and that is done',
  },
  {
    in: 'zk/contender.ts',
    line: 'return await this.#enterQueue(handle, deadline);',
    wrong: 'return this.#enterQueue(handle, deadline);',
    because:
      'the session is kept warm for two T after it is needed, and no attempt takes longer than half of one',
  },
  {
    in: 'zk/contender.ts',
    line: "if (position.kind === 'first') return await this.#granted(entry, node, deadline);",
    wrong: "if (position.kind === 'first') return this.#granted(entry, node, deadline);",
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/contender.ts',
    line: 'return await deadline.limit(prover.prove());',
    wrong: 'return deadline.limit(prover.prove());',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/contender.ts',
    line: 'return await this.#grantedInMode(entry, node, position, deadline);',
    wrong: 'return this.#grantedInMode(entry, node, position, deadline);',
    because: AWAITED_ANYWAY,
  },
  {
    in: 'zk/queue.ts',
    line: 'nodes.sort((a, b) => (isBefore(a, b) ? -1 : 1));',
    wrong: 'nodes.sort((a, b) => (isBefore(a, b) ? -1 : 0));',
    because: 'the sorts of V8 and JavaScriptCore ask only whether an order is below 0',
  },
  {
    in: 'zk/container.ts',
    line: '#listedBytes = 0;',
    wrong: '#listedBytes = 1;',
    because: 'before the first listing all that matters is that none was long',
  },
  {
    in: 'zk/operator.ts',
    line: 'yield await withSession(store, sessions, async (session, deadline) => {',
    wrong: 'yield withSession(store, sessions, async (session, deadline) => {',
    because: 'an async generator awaits what it yields, in the same place',
  },
  {
    in: 'zk/grant.ts',
    line: 'this.#listeners.clear();',
    wrong: ';',
    because: 'a hold is lost once',
  },
];

export function reasonOf(mutant: Mutant): string | undefined {
  const { right, wrong } = changedOf(linesOf(mutant));
  const at = `${mutant.package}/${mutant.file}`;
  return REASONS.find(
    (reason) =>
      reason.in === at && reason.line === oneLine(right) && reason.wrong === oneLine(wrong),
  )?.because;
}

/** Of the lines that a mutation touches, those that it changes: one may touch a statement of many lines, and change the first. */
function changedOf({ right, wrong }: Lines): Lines {
  if (right.length !== wrong.length) return { right, wrong };
  const isChanged = (_: string, at: number): boolean => right[at] !== wrong[at];
  return { right: right.filter(isChanged), wrong: wrong.filter(isChanged) };
}

interface Lines {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

/** The lines that a mutant changes, before and after. */
export function linesOf(mutant: Mutant): Lines {
  const text = readFileSync(sourceOf(mutant.package, mutant.file), 'utf8');
  const from = text.lastIndexOf('\n', mutant.start - 1) + 1;
  const end = text.indexOf('\n', mutant.end);
  const to = end < 0 ? text.length : end;
  const after = edited(text, mutant);
  return {
    right: text.slice(from, to).split('\n'),
    wrong: after.slice(from, to + after.length - text.length).split('\n'),
  };
}

export function oneLine(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join(' ')
    .trim();
}
