import type { Lease, Locks } from '@holdfast/core';
import type { SimProcess } from '../process.ts';
import type { Hold } from '../recorder.ts';
import { ClientCalls, observedLink } from './client-calls.ts';
import { type OperatingClient, Operation } from './operation.ts';
import type { Run } from './run.ts';
import { type ClientId, clientIdsIn, type Op } from './schedule.ts';
import { type ClientEnv, SUBJECT_CORE } from './subject.ts';
import { withVainAttempts } from './vain-attempts.ts';
import { WaitLog } from './wait-log.ts';

/**
 * Longer than all holds and outages of a generated schedule together, so that a client that waits in vain was
 * forgotten.
 */
const WAIT_MS = 60_000;
const CLOSE_MS = 5_000;

/** One process with its own clocks and `Locks`, which runs its operations. */
export class ScheduledClient implements OperatingClient {
  readonly id: ClientId;
  readonly process: SimProcess;
  /** True if it opens its lock only at its first operation. */
  readonly isNewcomer: boolean;
  ops: number;
  /** Operations that have not ended, have begun and not ended, wait, and hold. */
  opsLeft: number;
  opsActive = 0;
  waiting = 0;
  holding = 0;
  /** Operations that completed their writes. */
  accepted = 0;
  /** Records the waits, if a client gives up waiting. */
  waitLog: WaitLog | undefined;
  readonly calls: ClientCalls;
  readonly holds: Map<string, Hold> = new Map();
  readonly droppedLeases: Set<Lease> = new Set();
  readonly #run: Run;
  #isClosing = false;
  #locks: Locks | undefined;
  #opening: Promise<void> | undefined;
  #env: ClientEnv | undefined;

  constructor(id: ClientId, run: Run) {
    this.#run = run;
    this.id = id;
    this.process = run.world.process(id);
    this.calls = new ClientCalls(run, this.process);
    this.ops = run.schedule.ops.filter(({ client }) => client === id).length;
    this.opsLeft = this.ops;
    this.isNewcomer = clientIdsIn(run.schedule.newcomers ?? '').includes(id);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get isAlive(): boolean {
    return !this.process.crashed;
  }

  get isDone(): boolean {
    return this.opsLeft === 0 || !this.isAlive;
  }

  /** True if it uses a lock at all. */
  get isLocked(): boolean {
    return this.#locks !== undefined;
  }

  async open(): Promise<void> {
    const { recorder, subject, schedule } = this.#run;
    if (subject.open === undefined) return;
    const { createHost, createLocks } = subject.core ?? SUBJECT_CORE;
    const { name } = this.process;
    const waitLog = this.#waitLog();
    const runtime = waitLog?.runtime(this.process.runtime) ?? this.process.runtime;
    const host = createHost({ runtime, label: name });
    const own = observedLink(
      this.calls.link((label) => this.#notice(label)),
      this.#run,
      this.id,
    );
    const link = waitLog?.link(own) ?? own;
    const env = this.#run.envOf(this.process, link, waitLog);
    this.#env = env;
    const opened = withVainAttempts(await subject.open(env, host), schedule.attempts);
    const backend = waitLog?.backend(opened) ?? opened;
    const isSession = backend.capabilities.lease === 'session';
    const ttlMs = isSession ? undefined : schedule.ttlMs;
    const locks = createLocks(backend, host, { ttlMs, waitMs: WAIT_MS });
    locks.on('renewed', ({ contender, remainingMs, tookMs }) => {
      // If the reply came and the process was paused until nothing was left of the lease, the renewal claims nothing.
      if (remainingMs > 0)
        this.#recordFor(contender, (hold) =>
          recorder.renewed(hold, { remainingMs }, this.process.times.agoMs(tookMs)),
        );
    });
    locks.on('lost', ({ contender, reason }) => {
      this.#run.handoverMonitor?.excuse();
      this.#recordFor(contender, (hold) => recorder.lost(hold, reason));
    });
    if (waitLog !== undefined)
      locks.on('orphan', ({ contender, reason }) => {
        if (reason === 'late') waitLog.noteLateGrant(contender);
      });
    this.waitLog = waitLog;
    this.#locks = locks;
  }

  start(op: Op): void {
    this.process.deliver('start', () => void this.#runOp(op), op.atMs);
  }

  /** Runs one more operation, beyond those of the schedule. Resolves when it has ended. */
  acquireOnce(holdMs: number, signal?: AbortSignal): Promise<void> {
    const op = { id: this.ops + 1, client: this.id, atMs: 0, holdMs, renews: true };
    if (signal === undefined) this.ops++;
    this.opsLeft++;
    return new Promise((resolve) => {
      this.process.deliver('start', () => void this.#runOp(op, signal).then(resolve));
    });
  }

  /** Closes its locks and the connections it opened for them. Resolves when that is done. */
  close(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = async (): Promise<void> => {
        await this.#locks?.close({ timeoutMs });
        await this.#env?.close();
        resolve();
      };
      this.process.deliver('close', () => void end());
    });
  }

  /** Closes its locks, even while it holds or waits. */
  shutDown(): void {
    if (!this.isAlive) return;
    this.#isClosing = true;
    this.process.deliver('close', () => void this.#locks?.close({ timeoutMs: CLOSE_MS }));
  }

  /** Runs its collector: leases that the application does not keep are gone, unless the lock keeps them. */
  collect(): void {
    for (const lease of this.droppedLeases) this.process.collect(lease);
  }

  #waitLog(): WaitLog | undefined {
    const { schedule } = this.#run;
    if (!schedule.ops.some(({ waitMs }) => waitMs !== undefined)) return undefined;
    const { hasQueue } = this.#run.cluster;
    return new WaitLog(this.process, hasQueue ? undefined : schedule.ttlMs);
  }

  async #runOp(op: Op, signal?: AbortSignal): Promise<void> {
    this.opsActive++;
    if (this.isNewcomer) await (this.#opening ??= this.open());
    await new Operation(this.#run, this, op, signal).start(this.#locks);
    this.opsActive--;
    this.opsLeft--;
    this.#checkTimers();
    this.#run.clientChanged();
  }

  /** Detects a renewal after the holder has requested the release, while no other operation of this client holds. */
  #notice(label: string): void {
    if (label === 'renew' && this.holding === 0)
      this.#run.reportViolation(`${this.id} renews a lease that it has released`);
  }

  /** While no operation holds, waits or is on its way, no timer may be left. */
  #checkTimers(): void {
    if (this.#run.subject.tidy !== true || this.#isClosing) return;
    if (this.opsActive === 0 && this.calls.open === 0 && this.process.timers.live > 0)
      this.#run.reportViolation(`a timer of ${this.id} outlives its lease`);
  }

  #recordFor(contender: string, record: (hold: Hold) => void): void {
    const hold = this.holds.get(contender);
    if (hold !== undefined) record(hold);
  }
}
