import type { AcquireOptions, Lease, Locks } from '@holdfast/core';
import type { RedisNode } from '@holdfast/redis/port';
import type { SimProcess } from '../process.ts';
import type { Hold } from '../recorder.ts';
import { codeOf, programmingError } from './acquire-errors.ts';
import { ClientCalls, observedLink } from './client-calls.ts';
import type { Run } from './run.ts';
import { type ClientId, clientIdsIn, type Op } from './schedule.ts';
import { SUBJECT_CORE } from './subject.ts';
import { withVainAttempts } from './vain-attempts.ts';
import { WaitLog } from './wait-log.ts';

const KEY = 'k';
/**
 * Longer than all holds and outages of a generated schedule together, so that a client that waits in vain was
 * forgotten.
 */
const WAIT_MS = 60_000;
const CLOSE_MS = 5_000;

/** One process with its own clocks and `Locks`, which runs its operations. */
export class ScheduledClient {
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
  readonly #run: Run;
  readonly #calls: ClientCalls;
  readonly #holds = new Map<string, Hold>();
  /** Leases of which the application keeps nothing but a listener. */
  readonly #droppedLeases = new Set<Lease>();
  #isClosing = false;
  #locks: Locks | undefined;
  #opening: Promise<void> | undefined;
  #nodes: readonly RedisNode[] = [];

  constructor(id: ClientId, run: Run) {
    this.#run = run;
    this.id = id;
    this.process = run.world.process(id);
    this.#calls = new ClientCalls(run, this.process);
    this.ops = run.schedule.ops.filter(({ client }) => client === id).length;
    this.opsLeft = this.ops;
    this.isNewcomer = clientIdsIn(run.schedule.newcomers ?? '').includes(id);
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
      this.#calls.link((label) => this.#notice(label)),
      this.#run,
      this.id,
    );
    const link = waitLog?.link(own) ?? own;
    const env = this.#run.envOf(this.process, link, waitLog);
    this.#nodes = env.nodes;
    const opened = withVainAttempts(await subject.open(env, host), schedule.attempts);
    const backend = waitLog?.backend(opened) ?? opened;
    const isSession = backend.capabilities.lease === 'session';
    const ttl = isSession ? {} : { ttlMs: schedule.ttlMs };
    const locks = createLocks(backend, host, { ...ttl, waitMs: WAIT_MS });
    locks.on('renewed', ({ contender, remainingMs, tookMs }) => {
      // If the reply came and the process was paused until nothing was left of the lease, the renewal claims nothing.
      if (remainingMs > 0)
        this.#recordFor(contender, (hold) =>
          recorder.renewed(hold, { remainingMs }, this.process.agoMs(tookMs)),
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

  /** Closes its locks and the nodes it opened for them. Resolves when that is done. */
  close(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = async (): Promise<void> => {
        await this.#locks?.close({ timeoutMs });
        await Promise.all(this.#nodes.map((node) => node.close()));
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
    for (const lease of this.#droppedLeases) this.process.collect(lease);
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
    if (this.#locks === undefined) await this.#runBare(op);
    else if (op.as === 'body') await this.#runBody(op, this.#locks);
    else if (op.as === 'leader') await this.#runLeader(op, this.#locks);
    else await this.#runLocked(op, this.#locks, signal);
    this.opsActive--;
    this.opsLeft--;
    this.#checkTimers();
    this.#run.clientChanged();
  }

  async #runBare({ id, holdMs }: Op): Promise<void> {
    const hold = { id: `${this.id}/${id}`, process: this.process, key: KEY };
    this.holding++;
    await this.#update(hold, undefined, holdMs);
    this.holding--;
  }

  async #runLocked(
    { holdMs, renews, waitMs }: Op,
    locks: Locks,
    signal?: AbortSignal,
  ): Promise<void> {
    const { recorder } = this.#run;
    const hold = recorder.acquire(this.process, KEY);
    const lease = await this.#acquire(hold, locks, {
      renew: renews,
      ...(signal && { signal }),
      ...(waitMs !== undefined && { waitMs }),
    });
    if (lease === undefined) return;
    recorder.enter(hold);
    await this.#update(hold, lease, holdMs);
    recorder.exit(hold);
    this.holding--;
    recorder.release(hold);
    const { kind } = await lease.release();
    recorder.released(hold, kind);
  }

  /** Runs the body of a `use`, which heeds no signal and checks nothing before it writes. */
  async #runBody({ holdMs, renews }: Op, locks: Locks): Promise<void> {
    const { recorder } = this.#run;
    const hold = recorder.acquire(this.process, KEY);
    let used: Promise<void> | undefined;
    const won = new Promise<Lease>((resolve, reject) => {
      const body = async (lease: Lease): Promise<void> => {
        this.#won(hold, lease);
        recorder.enter(hold);
        resolve(lease);
        await this.#work(holdMs, undefined);
        recorder.exit(hold);
        this.holding--;
        recorder.release(hold);
      };
      used = locks.use(KEY, body, { renew: renews }).catch(reject);
    });
    await this.#wait(() => won).catch((error: unknown) => this.#denied(hold, error));
    await used;
  }

  /** Runs as in many elections: a listener that steps down is all that is kept of the lease. */
  async #runLeader({ holdMs, renews }: Op, locks: Locks): Promise<void> {
    const { recorder } = this.#run;
    const hold = recorder.acquire(this.process, KEY);
    const lease = await this.#acquire(hold, locks, { renew: renews });
    if (lease === undefined) return;
    recorder.enter(hold);
    this.#droppedLeases.add(lease);
    await this.#work(holdMs, lease.signal);
    this.#droppedLeases.delete(lease);
    recorder.exit(hold);
    this.holding--;
    recorder.release(hold);
    // Until the locks are closed they renew a lease that the client no longer relies on.
    this.#holds.delete(contenderOf(lease));
    this.shutDown();
  }

  async #acquire(hold: Hold, locks: Locks, options: AcquireOptions): Promise<Lease | undefined> {
    try {
      const acquire = (): Promise<Lease> => locks.acquire(KEY, options);
      const lease = await this.#wait(
        () => this.waitLog?.duringAcquire(hold.id, acquire) ?? acquire(),
      );
      this.#won(hold, lease);
      return lease;
    } catch (error) {
      this.waitLog?.noteRefusal(hold.id, error);
      this.#denied(hold, error, options);
      return undefined;
    }
  }

  #won(hold: Hold, lease: Lease): void {
    const { recorder } = this.#run;
    // Reading the remaining time may be what finds the lease lost, and it is granted before it is lost.
    const remainingMs = lease.remainingMs();
    recorder.granted(hold, { remainingMs }, lease.fencingToken);
    this.#holds.set(contenderOf(lease), hold);
    if (remainingMs === 0) recorder.lost(hold, 'deadline');
    this.holding++;
    this.#run.recordGrant(hold.id, lease.owner);
    this.#run.clientChanged();
  }

  #denied(hold: Hold, error: unknown, { signal, waitMs }: AcquireOptions = {}): void {
    const { recorder } = this.#run;
    const code = codeOf(error);
    if (code === 'OUTCOME_UNKNOWN') recorder.doubt(hold, code);
    else recorder.denied(hold, code);
    // A lease may run out before it could be handed over: an effect of a pause, which the error reports.
    if (code === 'LOCK_LOST' || signal?.aborted === true || this.#isClosing) return;
    // An operation with a limited wait may be refused.
    if (waitMs !== undefined && programmingError(error) === '') return;
    this.#run.reportViolation(`${this.id} never got its turn: ${code}${programmingError(error)}`);
  }

  async #wait<T>(body: () => Promise<T>): Promise<T> {
    this.waiting++;
    this.#run.clientChanged();
    try {
      return await body();
    } catch (error) {
      // A client that was never served reports that itself.
      this.#run.handoverMonitor?.excuse();
      throw error;
    } finally {
      this.waiting--;
      this.#run.clientChanged();
    }
  }

  /**
   * Follows the recommended steps: read with the token, work, stop if the loss is reported, check the lease, write
   * with the token.
   */
  async #update(hold: Hold, lease: Lease | undefined, holdMs: number): Promise<void> {
    const { recorder, resource } = this.#run;
    const token = lease?.fencingToken;
    const reading = await this.#calls.call('read', () => resource.read(token));
    await this.#work(holdMs, lease?.signal);
    if (lease !== undefined) {
      // An anchor of its own, because a fault right before the write comes after the lease was checked.
      this.process.departs('claim');
      try {
        lease.assertHeld();
      } catch {
        return;
      }
      recorder.claimed(hold);
    }
    await this.#calls.call('write', () => resource.write(hold, reading, token));
    this.accepted++;
  }

  /** Resolves after `ms`, or as soon as the lease is lost: a client that knows of the loss no longer believes. */
  #work(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done);
        resolve();
      };
      void this.process.sleep(ms).then(done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted === true) done();
    });
  }

  /** Detects a renewal after the holder has requested the release, while no other operation of this client holds. */
  #notice(label: string): void {
    if (label === 'renew' && this.holding === 0)
      this.#run.reportViolation(`${this.id} renews a lease that it has released`);
  }

  /** While no operation holds, waits or is on its way, no timer may be left. */
  #checkTimers(): void {
    if (this.#run.subject.tidy !== true || this.#isClosing) return;
    if (this.opsActive === 0 && this.#calls.open === 0 && this.process.timers.live > 0)
      this.#run.reportViolation(`a timer of ${this.id} outlives its lease`);
  }

  #recordFor(contender: string, record: (hold: Hold) => void): void {
    const hold = this.#holds.get(contender);
    if (hold !== undefined) record(hold);
  }
}

function contenderOf(lease: Lease): string {
  return lease.owner.slice(0, lease.owner.indexOf(':'));
}
