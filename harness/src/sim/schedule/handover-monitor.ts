import { IdleKeyMonitor, type IdlePeriod } from './idle-key-monitor.ts';
import type { Injection } from './injections.ts';
import { DEFAULT_LIVENESS_BOUNDS } from './liveness-bounds.ts';
import type { Run } from './run.ts';

/** In latencies of a message, one way: no attempt takes more, if no message is late. */
const WAYS_OF_A_CALL = 8;
/** Of the ttl: an attempt that takes longer is abandoned. */
const CALL_SHARE = 0.1;

/**
 * Checks that a free key goes to a waiter within the time that its lock promises for a handover, until a fault
 * excuses a delay. A lost lease excuses the handover that follows, because its key stays taken until the servers
 * expire it. A message that is late by less than a call's deadline excuses that much delay. If several nodes vote, it
 * excuses all, because it may split votes.
 */
export class HandoverMonitor {
  readonly #run: Run;
  readonly #keyIdle: IdleKeyMonitor;
  #isExcused = false;

  constructor(run: Run) {
    this.#run = run;
    const clients = [...run.clients.values()];
    this.#keyIdle = new IdleKeyMonitor(
      () => run.world.nowMs,
      clients,
      (period) => this.#judge(period),
    );
  }

  /** Excuses the next handover: a lease was lost, or a wait ended in vain. */
  excuse(): void {
    this.#isExcused = true;
  }

  /** Called whenever a client begins or ends to wait or to hold. */
  update(): void {
    if (this.#run.injections.all.every((injection) => this.#isSmall(injection)))
      this.#keyIdle.update();
    else this.#run.handoverMonitor = undefined;
  }

  #judge({ ms, waiting }: IdlePeriod): void {
    const boundMs = this.#boundMs(waiting.length);
    if (ms > boundMs && !this.#isExcused)
      this.#run.reportViolation(
        `${waiting.join(' and ')} waited ${Math.round(ms)} ms for a key that nobody held, and no fault explains it; more than ${Math.round(boundMs)} ms is too long`,
      );
    this.#isExcused = false;
  }

  #isSmall({ kind, atMs, untilMs }: Injection): boolean {
    const { schedule, subject, faults, cluster } = this.#run;
    const isLateness = faults.get(kind).onlyDelays === true;
    if (!isLateness || (subject.nodes > 1 && !cluster.hasQueue)) return false;
    const longestMs = CALL_SHARE * schedule.ttlMs - WAYS_OF_A_CALL * schedule.latencyMs;
    return untilMs - atMs <= longestMs;
  }

  get #lateMs(): number {
    return this.#run.injections.all.reduce((sum, { atMs, untilMs }) => sum + untilMs - atMs, 0);
  }

  #boundMs(waiters: number): number {
    const { schedule, subject, cluster } = this.#run;
    const { ttlMs, latencyMs } = schedule;
    const promisedMs = (subject.patience ?? DEFAULT_LIVENESS_BOUNDS).handoverMs({
      ttlMs,
      latencyMs,
      lagMs: cluster.lagMs,
      // The first client creates the container that it queues in.
      isReaped: true,
      isOpening: true,
      waiters,
      jumpedMs: 0,
    });
    return promisedMs + this.#lateMs;
  }
}
