import { FENCED, LIVENESS, type Mutant, VALIDITY } from '../mutant.ts';

type Mistake = Omit<Mutant, 'package'>;

/** Mistakes in the logic of leases and around it, each of which has been shipped by somebody. */
export const CORE_MUTANTS: readonly Mutant[] = (
  [
    {
      name: 'deadline-from-reply',
      file: 'term.ts',
      find: '    this.#validity = grant.validity;\n',
      replace: '    this.#validity = { from: runtime.now(), ms: grant.validity.ms };\n',
      why: 'The store counts the ttl from when the request reached it. Whoever counts from the reply believes for longer, by as much as the reply was late.',
      trial: { subject: 'memory', faults: ['pause-acquire'], wanted: VALIDITY },
      convictedBy: /both held k validly/,
    },
    {
      name: 'flag-instead-of-clock',
      file: 'lease.ts',
      find: '    if (this.#hold.remainingMs() <= 0) throw this.#hold.lossError();\n',
      replace: '    if (this.signal.aborted) throw this.#hold.lossError();\n',
      why: 'A flag is set by a timer, and the timers of a process that stood still are late: right after the pause the flag still says held.',
      trial: { subject: 'memory', faults: ['pause'], wanted: VALIDITY },
      convictedBy: /both held k validly/,
    },
    {
      name: 'renewal-outlives-release',
      file: 'hold.ts',
      find: "    this.#end('released');\n    return this.#finish();\n",
      replace: "    return this.#finish().finally(() => this.#end('released'));\n",
      why: 'While the release is on its way the watchdog still renews what has been given back; it has to stop first.',
      trial: { subject: 'memory', faults: ['none'], wanted: LIVENESS },
      convictedBy: /renews what it has given back/,
    },
    {
      name: 'alarm-outlives-lease',
      file: 'hold.ts',
      find: '    this.#state = state;\n    this.#cancelAlarm?.();\n',
      replace: '    this.#state = state;\n',
      why: 'A timer for what is over keeps memory, and with many leases the event loop, busy for nothing.',
      trial: { subject: 'memory', faults: ['none'], wanted: LIVENESS },
      convictedBy: /a timer of . outlives its lease/,
    },
    {
      name: 'waits-to-be-told',
      file: 'front.ts',
      find: 'const cancelTimer = this.#host.runtime.timer(ms, () => this.#wake(), { awaited: true });',
      replace: 'const cancelTimer = (): void => {};',
      why: 'A holder that died tells nobody: whoever waits for news alone waits for ever.',
      trial: { subject: 'memory', faults: ['holder-crash'], wanted: LIVENESS },
      convictedBy: /an operation of .* never ended|never got its turn/,
    },
    {
      name: 'next-in-line-forgotten',
      file: 'acquirer.ts',
      find: '      this.#holds.delete(hold);\n      line?.next();\n',
      replace: '      this.#holds.delete(hold);\n',
      why: 'Local waiters queue behind the holder; one that is not called when the holder is done waits in vain.',
      trial: { subject: 'memory', faults: ['none'], wanted: LIVENESS },
      convictedBy: /never got its turn/,
    },
    {
      name: 'memory-same-token',
      file: 'memory/store.ts',
      find: '    this.#token += 1n;\n',
      replace: '    this.#token = 1n;\n',
      why: 'A resource can refuse a late writer only when every grant has a larger token than the one before.',
      trial: { subject: 'memory', faults: ['pause'], wanted: FENCED },
      convictedBy: /fenced|token/,
    },
    {
      name: 'memory-takes-over-at-once',
      file: 'memory/store.ts',
      find: '    if (entry !== undefined && !isEarlierAttempt(entry.owner, owner)) {\n',
      replace: '    if (entry !== undefined && entry.owner === owner) {\n',
      why: 'A key that is held is given to whoever asks: the first thing that a judge has to see.',
      trial: { subject: 'memory', faults: ['none'], wanted: VALIDITY },
      convictedBy: /both held k validly/,
    },
    {
      name: 'wall-clock-alone',
      file: 'validity.ts',
      find: '  return Math.max(0, validity.ms - runtime.elapsedMs(validity.from));\n',
      replace:
        '  return Math.max(0, validity.ms - (runtime.now().wallMs - validity.from.wallMs));\n',
      why: 'A wall clock is set back now and then, by hand or by its time server, and the lease with it becomes longer than the store knows.',
      trial: {
        subject: 'redis-simple',
        faults: ['client-clock'],
        bent: { holdsTimes: 2 },
        wanted: VALIDITY,
      },
      convictedBy: /both held k validly/,
    },
    {
      name: 'monotonic-clock-alone',
      file: 'validity.ts',
      find: '  return Math.max(0, validity.ms - runtime.elapsedMs(validity.from));\n',
      replace:
        '  return Math.max(0, validity.ms - (runtime.now().monotonicMs - validity.from.monotonicMs));\n',
      why: 'A monotonic clock stands still while the machine sleeps: after a night in a bag the lease is as fresh as ever.',
      trial: { subject: 'redis-simple', faults: ['suspend'], wanted: VALIDITY },
      convictedBy: /both held k validly/,
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
        setup: { drift: 'within' },
        bent: { ttlTimes: 10, holdsTimes: 2 },
        wanted: VALIDITY,
      },
      convictedBy: /both held k validly/,
    },
  ] satisfies readonly Mistake[]
).map((mistake) => ({ ...mistake, package: 'core' }));
