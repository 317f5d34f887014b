/** A lock with one thing wrong: at most three lines away from the right one. */
export interface Mutant {
  /** Also its folder, `.mutants/<name>`. */
  readonly name: string;
  /** Below the source folder of core. */
  readonly file: string;
  /** Occurs there once. */
  readonly find: string;
  readonly replace: string;
  /** What people get wrong this way, and what comes of it. */
  readonly why: string;
  /** What a judge says of it at least once; the judges themselves are on trial here too. */
  readonly convictedBy: RegExp;
}

/** Mistakes in the logic of leases and around it, each of which has been shipped by somebody. */
export const LEASE_MUTANTS: readonly Mutant[] = [
  {
    name: 'deadline-from-reply',
    file: 'term.ts',
    find: '    this.#validity = grant.validity;\n',
    replace: '    this.#validity = { from: runtime.now(), ms: grant.validity.ms };\n',
    why: 'The store counts the ttl from when the request reached it. Whoever counts from the reply believes for longer, by as much as the reply was late.',
    convictedBy: /both held k validly/,
  },
  {
    name: 'flag-instead-of-clock',
    file: 'lease.ts',
    find: '    if (this.#hold.remainingMs() <= 0) throw this.#hold.lossError();\n',
    replace: '    if (this.signal.aborted) throw this.#hold.lossError();\n',
    why: 'A flag is set by a timer, and the timers of a process that stood still are late: right after the pause the flag still says held.',
    convictedBy: /both held k validly/,
  },
  {
    name: 'renewal-outlives-release',
    file: 'hold.ts',
    find: "    this.#end('released');\n    return this.#finish();\n",
    replace: "    return this.#finish().finally(() => this.#end('released'));\n",
    why: 'While the release is on its way the watchdog still renews what has been given back; it has to stop first.',
    convictedBy: /renews what it has given back/,
  },
  {
    name: 'alarm-outlives-lease',
    file: 'hold.ts',
    find: '    this.#state = state;\n    this.#cancelAlarm?.();\n',
    replace: '    this.#state = state;\n',
    why: 'A timer for what is over keeps memory, and with many leases the event loop, busy for nothing.',
    convictedBy: /a timer of . outlives its lease/,
  },
  {
    name: 'waits-to-be-told',
    file: 'front.ts',
    find: 'const cancelTimer = this.#host.runtime.timer(ms, () => this.#wake(), { awaited: true });',
    replace: 'const cancelTimer = (): void => {};',
    why: 'A holder that died tells nobody: whoever waits for news alone waits for ever.',
    convictedBy: /an operation of . never ended/,
  },
  {
    name: 'next-in-line-forgotten',
    file: 'acquirer.ts',
    find: '      this.#holds.delete(hold);\n      line?.next();\n',
    replace: '      this.#holds.delete(hold);\n',
    why: 'Local waiters queue behind the holder; one that is not called when the holder is done waits in vain.',
    convictedBy: /never got its turn/,
  },
  {
    name: 'token-stands-still',
    file: 'memory/store.ts',
    find: '    this.#token += 1n;\n',
    replace: '    this.#token = 1n;\n',
    why: 'A resource can refuse a late writer only when every grant has a larger token than the one before.',
    convictedBy: /wrote to fenced between two writes of one hold/,
  },
];
