import type { AcquireOptions, Lease, Locks } from '@holdfast/core';
import type { HoldMode } from '@holdfast/core/backend';
import type { SimProcess } from '../process.ts';
import type { Hold } from '../recorder.ts';
import { codeOf, programmingError } from './acquire-errors.ts';
import type { ClientCalls } from './client-calls.ts';
import { CriticalSection } from './critical-section.ts';
import type { Run } from './run.ts';
import type { ClientId, Op } from './schedule.ts';
import type { WaitLog } from './wait-log.ts';

const KEY = 'k';

/** The client that runs an operation, and what it counts and keeps of all of them. */
export interface OperatingClient {
  readonly id: ClientId;
  readonly process: SimProcess;
  readonly calls: ClientCalls;
  readonly waitLog: WaitLog | undefined;
  readonly isClosing: boolean;
  /** Operations that wait, and that hold. */
  waiting: number;
  holding: number;
  /** Operations that completed their writes. */
  accepted: number;
  /** By the contender that won. */
  readonly holds: Map<string, Hold>;
  /** Leases of which the application keeps nothing but a listener. */
  readonly droppedLeases: Set<Lease>;
  shutDown(): void;
}

/** One operation of a client: it acquires the lock, reads and writes the resource, and releases the lock. */
export class Operation {
  readonly #run: Run;
  readonly #client: OperatingClient;
  readonly #op: Op;
  readonly #signal: AbortSignal | undefined;
  readonly #section: CriticalSection;

  /** `signal` ends its wait. */
  constructor(run: Run, client: OperatingClient, op: Op, signal: AbortSignal | undefined) {
    this.#run = run;
    this.#client = client;
    this.#op = op;
    this.#signal = signal;
    this.#section = new CriticalSection(run, client, op);
  }

  /** Runs it, without a lock if there are no `locks`. */
  start(locks: Locks | undefined): Promise<void> {
    if (locks === undefined) return this.#runBare();
    if (this.#mode !== undefined) return this.#runLocked(locks);
    if (this.#op.as === 'body') return this.#runBody(locks);
    return this.#op.as === 'leader' ? this.#runLeader(locks) : this.#runLocked(locks);
  }

  async #runBare(): Promise<void> {
    const { id, process } = this.#client;
    const hold = { id: `${id}/${this.#op.id}`, process, key: KEY };
    this.#client.holding++;
    await this.#section.update(hold, undefined);
    this.#client.holding--;
  }

  async #runLocked(locks: Locks): Promise<void> {
    const { renews: renew, waitMs } = this.#op;
    const { recorder } = this.#run;
    const hold = recorder.acquire(this.#client.process, KEY);
    const lease = await this.#acquire(hold, locks, { renew, waitMs, signal: this.#signal });
    if (lease === undefined) return;
    recorder.enter(hold);
    const continuation = this.#run.subject.continuationOf?.(this.#op);
    const handle = continuation === 'reenter' ? await this.#reenter(locks, lease) : lease;
    await this.#section.update(hold, handle);
    recorder.exit(hold);
    if (continuation === 'downgrade') return await this.#downgrade(hold, handle, locks);
    await this.#release(hold, handle);
  }

  async #release(hold: Hold, lease: Lease): Promise<void> {
    const { recorder } = this.#run;
    this.#client.holding--;
    recorder.release(hold);
    const { kind } = await lease.release();
    recorder.released(hold, kind);
  }

  /** Returns a further handle on the hold, of which the first one is released; the first one if that has ended. */
  async #reenter(locks: Locks, lease: Lease): Promise<Lease> {
    try {
      const handle = locks.reenter(lease);
      await lease.release();
      return handle;
    } catch {
      return lease;
    }
  }

  /** Goes on as a reader: if that comes about, it has been one since the request was sent. */
  async #downgrade(written: Hold, lease: Lease, locks: Locks): Promise<void> {
    const { recorder } = this.#run;
    const { process, holds } = this.#client;
    recorder.release(written);
    // The export may still renew it.
    holds.delete(contenderOf(lease));
    const hold = recorder.acquire(process, KEY);
    const sinceMs = process.nowMs;
    try {
      const shared = await locks.downgrade(lease);
      const remainingMs = shared.remainingMs();
      // One that is over says nothing of when it ended: a pause may have come before this reading.
      const fromMs = remainingMs === 0 ? process.nowMs : sinceMs;
      recorder.granted(hold, { remainingMs }, shared.fencingToken, { kind: 'shared' }, fromMs);
      if (remainingMs === 0) recorder.lost(hold, 'deadline');
      holds.set(contenderOf(shared), hold);
      recorder.enter(hold);
      await this.#section.work(shared.signal);
      recorder.exit(hold);
      await this.#release(hold, shared);
    } catch (error) {
      recorder.doubt(hold, codeOf(error));
      this.#client.holding--;
    }
  }

  /** Runs the body of a `use`, which heeds no signal and checks nothing before it writes. */
  async #runBody(locks: Locks): Promise<void> {
    const { recorder } = this.#run;
    const hold = recorder.acquire(this.#client.process, KEY);
    let used: Promise<void> | undefined;
    const won = new Promise<Lease>((resolve, reject) => {
      const body = async (lease: Lease): Promise<void> => {
        this.#won(hold, lease);
        recorder.enter(hold);
        resolve(lease);
        await this.#section.work(undefined);
        recorder.exit(hold);
        this.#client.holding--;
        recorder.release(hold);
      };
      used = locks.use(KEY, body, { renew: this.#op.renews }).catch(reject);
    });
    await this.#wait(() => won).catch((error: unknown) => this.#denied(hold, error));
    await used;
  }

  /** Runs as in many elections: a listener that steps down is all that is kept of the lease. */
  async #runLeader(locks: Locks): Promise<void> {
    const { recorder } = this.#run;
    const hold = recorder.acquire(this.#client.process, KEY);
    const lease = await this.#acquire(hold, locks, { renew: this.#op.renews });
    if (lease === undefined) return;
    recorder.enter(hold);
    this.#client.droppedLeases.add(lease);
    await this.#section.work(lease.signal);
    this.#client.droppedLeases.delete(lease);
    recorder.exit(hold);
    this.#client.holding--;
    recorder.release(hold);
    // Until the locks are closed they renew a lease that the client no longer relies on.
    this.#client.holds.delete(contenderOf(lease));
    this.#client.shutDown();
  }

  async #acquire(hold: Hold, locks: Locks, options: AcquireOptions): Promise<Lease | undefined> {
    try {
      const acquire = (): Promise<Lease> => this.#request(locks, options);
      const lease = await this.#wait(
        () => this.#client.waitLog?.duringAcquire(hold.id, acquire) ?? acquire(),
      );
      this.#won(hold, lease);
      return lease;
    } catch (error) {
      this.#client.waitLog?.noteRefusal(hold.id, error);
      this.#denied(hold, error, options);
      return undefined;
    }
  }

  get #mode(): HoldMode | undefined {
    return this.#run.subject.modeOf?.(this.#op);
  }

  #request(locks: Locks, options: AcquireOptions): Promise<Lease> {
    const mode = this.#mode;
    if (mode === undefined) return locks.acquire(KEY, options);
    if (mode.kind === 'shared') return locks.read(KEY).acquire(options);
    if (mode.kind === 'exclusive') return locks.write(KEY).acquire(options);
    return locks.semaphore(KEY, mode.of).acquire(mode.permits, options);
  }

  #won(hold: Hold, lease: Lease): void {
    const { recorder } = this.#run;
    // Reading the remaining time may be what finds the lease lost, and it is granted before it is lost.
    const remainingMs = lease.remainingMs();
    recorder.granted(hold, { remainingMs }, lease.fencingToken, this.#mode);
    this.#client.holds.set(contenderOf(lease), hold);
    if (remainingMs === 0) recorder.lost(hold, 'deadline');
    this.#client.holding++;
    this.#run.recordGrant(hold.id, lease.owner);
    this.#run.clientChanged();
  }

  #denied(hold: Hold, error: unknown, { signal, waitMs }: AcquireOptions = {}): void {
    const { recorder } = this.#run;
    const code = codeOf(error);
    if (code === 'OUTCOME_UNKNOWN') recorder.doubt(hold, code);
    else recorder.denied(hold, code);
    // A lease may run out before it could be handed over: an effect of a pause, which the error reports.
    if (code === 'LOCK_LOST' || signal?.aborted === true || this.#client.isClosing) return;
    // An operation with a limited wait may be refused.
    if (waitMs !== undefined && programmingError(error) === '') return;
    this.#run.reportViolation(
      `${this.#client.id} never got its turn: ${code}${programmingError(error)}`,
    );
  }

  async #wait<T>(body: () => Promise<T>): Promise<T> {
    this.#client.waiting++;
    this.#run.clientChanged();
    try {
      return await body();
    } catch (error) {
      // A client that was never served reports that itself.
      this.#run.handoverMonitor?.excuse();
      throw error;
    } finally {
      this.#client.waiting--;
      this.#run.clientChanged();
    }
  }
}

function contenderOf(lease: Lease): string {
  return lease.owner.slice(0, lease.owner.indexOf(':'));
}
