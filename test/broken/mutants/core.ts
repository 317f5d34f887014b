import { FENCED, LIVENESS, type Mutant, VALIDITY } from '../mutant.ts';

type CoreMutant = Omit<Mutant, 'package'>;

/** Mistakes in the logic of leases and around it, each of which some library has shipped. */
export const CORE_MUTANTS: readonly Mutant[] = (
  [
    {
      name: 'deadline-from-reply',
      file: 'lease-clock.ts',
      find: '    this.#validity = grant.validity;\n',
      replace: '    this.#validity = { from: runtime.now(), ms: grant.validity.ms };\n',
      why: 'The store counts the ttl from when the request reached it. A client that counts from the reply believes for longer, by the delay of the reply.',
      trial: { subject: 'memory', faults: ['pause-acquire'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'flag-instead-of-clock',
      file: 'lease.ts',
      find: '    if (this.#controller.remainingMs() <= 0) throw this.#controller.lossError();\n',
      replace: '    if (this.signal.aborted) throw this.#controller.lossError();\n',
      why: 'A timer sets a flag, and the timers of a paused process are late: right after the pause the flag still says held.',
      trial: { subject: 'memory', faults: ['pause'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'renewal-outlives-release',
      file: 'lease-controller.ts',
      find: "    this.#end('released');\n    const passesOn = this.queue?.mayPassOn() === true;\n    const release = this.#keyRelease.sendAndReport(passesOn);\n",
      replace:
        "    const passesOn = this.queue?.mayPassOn() === true;\n    const release = this.#keyRelease.sendAndReport(passesOn).finally(() => this.#end('released'));\n",
      why: 'While the release is in flight the watchdog still renews what is being released; it has to stop first.',
      trial: { subject: 'memory', faults: ['none'], target: LIVENESS },
      detectedBy: /renews a lease that it has released/,
    },
    {
      name: 'alarm-outlives-lease',
      file: 'watchdog.ts',
      find: '  stop(): void {\n    this.#context.deadlines.clear(this);\n',
      replace: '  stop(): void {\n',
      why: 'A timer for what is over keeps memory, and with many leases the event loop, busy for nothing.',
      trial: { subject: 'memory', faults: ['none'], target: LIVENESS },
      detectedBy: /a timer of . outlives its lease/,
    },
    {
      name: 'waits-to-be-told',
      file: 'wakeable-sleep.ts',
      find: 'const cancelTimer = this.#runtime.timer(ms, () => this.#wake?.(), { awaited: true });',
      replace: 'const cancelTimer = (): void => {};',
      why: 'A holder that dies notifies no one: a client that waits only for notifications waits without end.',
      trial: { subject: 'memory', faults: ['holder-crash'], target: LIVENESS },
      detectedBy: /an operation of .* never ended|never got its turn/,
    },
    {
      name: 'next-in-line-forgotten',
      file: 'acquirer.ts',
      find: '    this.#controllers.delete(ended);\n    ended.queue?.next();\n',
      replace: '    this.#controllers.delete(ended);\n',
      why: 'Local waiters queue behind the holder; one that is not called when the holder is done waits in vain.',
      trial: { subject: 'memory', faults: ['none'], target: LIVENESS },
      detectedBy: /never got its turn|waited \d+ ms for a key that nobody held/,
    },
    {
      name: 'memory-same-token',
      file: 'memory/store.ts',
      find: '    this.#token += 1n;\n',
      replace: '    this.#token = 1n;\n',
      why: 'A resource can reject a late writer only if every grant has a larger token than the one before.',
      trial: { subject: 'memory', faults: ['pause'], target: FENCED },
      detectedBy: /fenced|token/,
    },
    {
      name: 'memory-takes-over-at-once',
      file: 'memory/store.ts',
      find: '    if (lock !== undefined && !isEarlierAttempt(lock.owner, owner)) {\n',
      replace: '    if (lock !== undefined && lock.owner === owner) {\n',
      why: 'A held key is granted to any client that requests it: the first thing that a judge has to detect.',
      trial: { subject: 'memory', faults: ['none'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'memory-never-expires',
      file: 'memory/store.ts',
      find: '    if (lock === undefined || lock.untilMs > this.#nowMs()) return lock;\n',
      replace: '    if (lock === undefined || lock.untilMs < Infinity) return lock;\n',
      why: 'A key that ends only when it is released outlives a dead holder without limit.',
      trial: { subject: 'memory', faults: ['holder-crash'], target: LIVENESS },
      detectedBy: /never got its turn|never comes to an end/,
    },
    {
      name: 'owner-is-the-process',
      file: 'owner.ts',
      find: '  return `${owner.contender}:${owner.n}:${owner.label}`;\n',
      replace: '  return `${owner.label}:${owner.n}:${owner.label}`;\n',
      why: 'A process requests one key many times. If all its requests use one name, a late request for one hold deletes the next.',
      trial: { subject: 'redis-simple', faults: ['lost-reply'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'wall-clock-alone',
      file: 'validity.ts',
      find: '  const leftMs = validity.ms - runtime.elapsedMs(validity.from);\n',
      replace: '  const leftMs = validity.ms - (runtime.now().wallMs - validity.from.wallMs);\n',
      why: 'A wall clock is sometimes set back, by hand or by its time server. The lease then becomes longer than the store knows.',
      trial: { subject: 'redis-simple', faults: ['client-clock'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'monotonic-clock-alone',
      file: 'validity.ts',
      find: '  const leftMs = validity.ms - runtime.elapsedMs(validity.from);\n',
      replace:
        '  const leftMs = validity.ms - (runtime.now().monotonicMs - validity.from.monotonicMs);\n',
      why: 'A monotonic clock stops while the machine sleeps: after a night of sleep the lease looks as fresh as before.',
      trial: { subject: 'redis-simple', faults: ['suspend'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'no-drift-margin',
      file: 'validity.ts',
      find: '  return ttlMs * DRIFT_SHARE + DRIFT_MS_MIN;\n',
      replace: '  return 0 * ttlMs;\n',
      why: 'Two clocks never run at the same rate: without a margin the slower one believes for longer than the faster one keeps the key.',
      trial: {
        subject: 'redis-simple',
        faults: ['drift'],
        // As in the matrix.
        setup: { variation: 'within', ttlTimes: 4 },
        target: VALIDITY,
      },
      detectedBy: /both held k validly/,
    },
  ] satisfies readonly CoreMutant[]
).map((mistake) => ({ ...mistake, package: 'core' }));
