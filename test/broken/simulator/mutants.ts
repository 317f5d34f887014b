import type { Mutation } from '../../support/bundle.ts';
import type { CHECKS } from './checks.ts';

/** A simulator with one rule taken out. */
export interface SimulatorMutant extends Mutation {
  readonly name: string;
  /** The violations that a search would miss, or invent. */
  readonly why: string;
  readonly check: keyof typeof CHECKS;
  readonly detectedBy: RegExp;
}

/** A simulator that is wrong makes every search worthless, and none of them says so: these do. */
export const SIMULATOR_MUTANTS: readonly SimulatorMutant[] = [
  {
    name: 'counts-microtasks',
    file: 'harness/src/sim/driver.ts',
    find: '      for (let i = 0; i < size; i++) immediate(next);\n',
    replace:
      '      void (async () => { for (let hop = 1; ; hop++) if ((await hop) % 20 === 0) { if (!going) break; next(); } })();\n',
    why: 'Between two events a counted number of microtasks runs: the next event overtakes code with deeper chains of awaits, in orders that no real process could see.',
    check: 'drains',
    detectedBy: /came after \d+ of 60 awaits/,
  },
  {
    name: 'never-drains',
    file: 'harness/src/sim/event-loop.ts',
    find: '      if (this.#kernel.run(next)) return true;\n',
    replace: '      this.#kernel.run(next);\n',
    why: 'Whatever an event wakes runs only after all other events.',
    check: 'drains',
    detectedBy: /nothing is scheduled|came after \d+ of 60 awaits/,
  },
  {
    name: 'messages-overtake',
    file: 'harness/src/sim/net/fifo-channel.ts',
    find: '    this.#lastUs = Math.max(this.#lastUs, message.departUs + this.#latencyUs + delayUs);\n',
    replace: '    this.#lastUs = message.departUs + this.#latencyUs + delayUs;\n',
    why: 'An undo is safe because it follows the request that it undoes: on a connection that reorders, correct locks break.',
    check: 'keepsOrder',
    detectedBy: /overtook/,
  },
  {
    name: 'messages-overtake-after-a-cut',
    file: 'harness/src/sim/net/fifo-channel.ts',
    find: '    const { nowUs } = this.#kernel;\n    const arrivalUs = this.#arrivalUs(pending);\n',
    replace:
      '    const { nowUs } = this.#kernel;\n    const arrivalUs = this.#throughUs(pending.dueUs);\n    if (arrivalUs <= nowUs) return false;\n',
    why: 'TCP sends the messages that a cut lost again, and delivers nothing of that connection before them.',
    check: 'keepsOrderAcrossCut',
    detectedBy: /overtook/,
  },
  {
    name: 'time-runs-in-scripts',
    file: 'harness/src/servers/redis/simulated/engine.ts',
    find: '  nowUs = 0;\n',
    replace:
      '  get nowUs(): number { return Math.floor(this.#options.nowUs()); }\n  set nowUs(_us: number) {}\n',
    why: 'In Redis time stops while a script runs; a lock whose script reads it twice would be found wrong without a mistake.',
    check: 'freezesTime',
    detectedBy: /one script saw/,
  },
  {
    name: 'keys-expire-by-true-time',
    file: 'harness/src/servers/redis/simulated/server.ts',
    find: '      wallUs: () => this.#clock.wallUs(this.#kernel.nowUs),\n',
    replace: '      wallUs: () => 1_735_689_600_000_000 + this.#kernel.nowUs,\n',
    why: 'A server knows no true time: with it, clocks that jump would break no lock.',
    check: 'expiresByNode',
    detectedBy: /outlived its ttl/,
  },
  {
    name: 'keys-ignore-drift',
    file: 'harness/src/servers/redis/simulated/server.ts',
    find: '    this.#clock.setDrift(this.#kernel.nowUs, ppm);\n',
    replace: '    this.#clock.setDrift(this.#kernel.nowUs, 0 * ppm);\n',
    why: 'The margin that a lease takes off for drift would never be needed.',
    check: 'driftsWithNode',
    detectedBy: /ended before its ttl/,
  },
  {
    name: 'keys-never-expire',
    file: 'harness/src/servers/redis/simulated/keyspace.ts',
    find: 'this.nowMs > expiresAtMs && ',
    replace: 'this.nowMs < 0 && ',
    why: 'Without expiry no lease is ever taken over, and everything holds.',
    check: 'expiresByNode',
    detectedBy: /outlived its ttl/,
  },
  {
    name: 'watch-after-answer',
    file: 'harness/src/servers/zookeeper/simulated/program.ts',
    find: "        this.watchers.fire('created', change.path, change.acl);\n",
    replace:
      "        queueMicrotask(() => this.watchers.fire('created', change.path, change.acl));\n",
    why: 'ZooKeeper reports a change before any reply that shows it; a recipe may rely on that.',
    check: 'tellsWatchFirst',
    detectedBy: /received answer,event/,
  },
  {
    name: 'due-order-lost',
    file: 'harness/src/sim/event-queue.ts',
    find: '  if (a.dueUs !== b.dueUs) return a.dueUs < b.dueUs;\n',
    replace: '',
    why: 'Timers that a pause delayed run in the order in which they were due, not in which they were set.',
    check: 'firesWhenDue',
    detectedBy: /fired as 20,10/,
  },
  {
    name: 'the-dead-hear',
    file: 'harness/src/sim/event-queue.ts',
    find: '      if (top.cancelled || top.owner?.crashed) {\n',
    replace: '      if (top.cancelled) {\n',
    why: 'A dead holder would keep working, and release its lock.',
    check: 'leavesTheDead',
    detectedBy: /a dead process heard/,
  },
];
