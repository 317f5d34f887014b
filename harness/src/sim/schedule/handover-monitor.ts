import { IdleKeyMonitor, type IdlePeriod } from './idle-key-monitor.ts';
import type { Injection } from './injections.ts';
import { DEFAULT_LIVENESS_BOUNDS } from './liveness-bounds.ts';
import type { Run } from './run.ts';

/** Of a message, one way: no attempt takes more, where nothing is late. */
const WAYS_OF_A_CALL = 8;
/** Of the ttl: an attempt that takes longer is given up. */
const CALL_SHARE = 0.1;

/**
 * Until a fault excuses a delay, a key that is free goes to a waiter within the time that its lock promises for a
 * handover. A lease that was lost excuses the handover that follows, because its key stays taken until the servers end it.
 * A message that is late, but not so late that anybody gives it up, excuses as much; unless several nodes vote, because
 * votes may be split by it.
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
      (stretch) => this.#judge(stretch),
    );
  }

  /** A lease was lost, or a wait has ended in vain. */
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
      // The first to come makes what it queues in.
      isReaped: true,
      isOpening: true,
      waiters,
      jumpedMs: 0,
    });
    return promisedMs + this.#lateMs;
  }
}
