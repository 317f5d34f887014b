import { AbortedWait } from './acquire-errors.ts';
import { breakPermanently, endFaults, totalJumpMs } from './aftermath.ts';
import type { LeftoverMoment, Member } from './cluster.ts';
import { IdleKeyMonitor } from './idle-key-monitor.ts';
import {
  DEFAULT_LIVENESS_BOUNDS,
  type LivenessBounds,
  type LivenessConditions,
} from './liveness-bounds.ts';
import type { Run } from './run.ts';
import { type Aftermath, clientIdsIn } from './schedule.ts';
import type { ScheduledClient } from './scheduled-client.ts';

/**
 * Of the ttl, unless an aftermath sets the hold: short enough that a release comes well before any poll that depends
 * on the ttl.
 */
const HOLD_TTLS = 0.5;
const GIVES_UP_SHARE = 0.25;
const CLOSE_MS = 5_000;
/**
 * In latencies of a message, one way: by then a client that made a request holds or waits, and withdrawn requests are
 * gone.
 */
const FEW_LATENCIES = 8;
/** Number of checks, within a span, whether the wait is over. */
const STEPS = 20;

/**
 * Checks liveness after the faults. Healthy clients, beside a healthy quorum, acquire the key in bounded time, hand
 * it over without polling, and leave nothing behind.
 */
export async function checkLiveness(run: Run, aftermath: Aftermath): Promise<void> {
  await endFaults(run, aftermath);
  run.handoverMonitor = undefined;
  const broken = breakPermanently(run, aftermath);
  const still = clientIdsIn(aftermath.still);
  const clients = [...run.clients.values()].filter(
    ({ isAlive, id, isLocked }) => isAlive && isLocked && !still.includes(id),
  );
  if (clients.length === 0) return;
  const servers = run.cluster.members.filter((server) => !broken.includes(server));
  await new LivenessCheck(run, aftermath, clients, servers).run();
}

class LivenessCheck {
  readonly #run: Run;
  readonly #clients: readonly ScheduledClient[];
  readonly #servers: readonly Member[];
  readonly #bounds: LivenessBounds;
  readonly #conditions: LivenessConditions;
  readonly #keyIdle: IdleKeyMonitor;
  readonly #missesSilence: boolean;
  /** Drawn, or the default. */
  readonly #holdMs: number;
  /** True if the hold was drawn: it may be over before the others have subscribed. */
  readonly #isOpening: boolean;

  constructor(
    run: Run,
    { apartMs, holdMs }: Aftermath,
    clients: readonly ScheduledClient[],
    servers: readonly Member[],
  ) {
    const { schedule, subject, world, injections } = run;
    this.#run = run;
    this.#clients = clients;
    this.#servers = servers;
    this.#bounds = subject.patience ?? DEFAULT_LIVENESS_BOUNDS;
    this.#conditions = {
      ttlMs: schedule.ttlMs,
      latencyMs: schedule.latencyMs + apartMs,
      lagMs: run.cluster.lagMs,
      isReaped: schedule.ensemble !== undefined,
      waiters: clients.length,
      jumpedMs: totalJumpMs(run),
    };
    this.#holdMs = holdMs ?? HOLD_TTLS * schedule.ttlMs;
    this.#isOpening = holdMs !== undefined;
    this.#missesSilence =
      !run.cluster.noticesSilence &&
      injections.all.some(({ kind }) => run.faults.get(kind).silences === true);
    this.#keyIdle = new IdleKeyMonitor(() => world.nowMs, clients);
    run.keyIdle = this.#keyIdle;
  }

  async run(): Promise<void> {
    const { waiters } = this.#conditions;
    const settleMs = this.#bounds.settleMs(this.#conditions);
    if (!(await this.#checkWithin(settleMs, 'after the faults'))) return;
    // A client that had no operation left may find its connections dead only now.
    this.#acquireOn(this.#clients, 0);
    if (!(await this.#checkWithin(settleMs, 'after the faults'))) return;
    if (!(await this.#checkHandover())) return;
    if (waiters > 1) this.#run.sometimes.add('a key was handed over in an aftermath');
    if (!(await this.#checkGivingUp())) return;
    await this.#waitForCleanup();
    this.#reportLeftovers(this.#leftovers('rest'));
    await this.#close();
  }

  #acquireOn(clients: readonly ScheduledClient[], holdMs: number): void {
    for (const client of clients) void client.acquireOnce(holdMs);
  }

  /**
   * Checks that the others get the key as soon as its holder releases it. A paused client may have stopped with a
   * request on its way, which is served behind all requests so far. Its place in the queue is kept until its lease
   * expires. So if the others waited too long beside such a client, they try once more after that.
   */
  async #checkHandover(): Promise<boolean> {
    const boundMs = this.#handoverMs(this.#conditions.waiters - 1, this.#isOpening);
    await this.#acquireInTurn();
    const violation = await this.#violation(boundMs, 'after a release');
    if (violation === undefined) return true;
    if (!this.#isClientMissing) {
      this.#run.reportViolation(violation);
      return false;
    }
    const settleMs = this.#bounds.settleMs(this.#conditions);
    if (!(await this.#checkWithin(settleMs, 'after the faults'))) return false;
    await this.#acquireInTurn();
    return await this.#checkWithin(boundMs, 'after a release');
  }

  /** Makes one client hold, and the others wait for it. */
  async #acquireInTurn(): Promise<void> {
    this.#acquireOn(this.#clients.slice(0, 1), this.#holdMs);
    await this.#run.world.advance(FEW_LATENCIES * this.#conditions.latencyMs);
    this.#acquireOn(this.#clients.slice(1), this.#holdMs);
  }

  /**
   * Checks that a waiter which gives up leaves nothing behind, and that the waiter behind it does not miss the
   * release.
   */
  async #checkGivingUp(): Promise<boolean> {
    const { ttlMs, latencyMs } = this.#conditions;
    const { world } = this.#run;
    const [holder, quitter, ...rest] = this.#clients;
    if (holder === undefined || quitter === undefined) return true;
    const giveUp = new AbortController();
    this.#acquireOn([holder], HOLD_TTLS * ttlMs);
    await world.advance(FEW_LATENCIES * latencyMs);
    void quitter.acquireOnce(0, giveUp.signal);
    await world.advance(FEW_LATENCIES * latencyMs);
    this.#acquireOn(rest.slice(0, 1), 0);
    await world.advance(GIVES_UP_SHARE * ttlMs);
    quitter.process.deliver('give up', () =>
      giveUp.abort(new AbortedWait('it has waited long enough')),
    );
    await world.advance(FEW_LATENCIES * latencyMs);
    // The holder still holds: after its release nothing would be left to find.
    this.#reportLeftovers(this.#leftovers('quit', [quitter]));
    // Slow links leave a lease so little time that it may be over by now: the key was on its way to the client that
    // gave up.
    const handovers = holder.holding > 0 ? 1 : 2;
    return await this.#checkWithin(handovers * this.#handoverMs(1), 'after a release');
  }

  #handoverMs(waiters: number, isOpening = false): number {
    if (this.#missesSilence) return this.#bounds.settleMs(this.#conditions);
    return this.#bounds.handoverMs({ ...this.#conditions, waiters, isOpening });
  }

  /** Waits until all clients are done; reports a violation if the key was idle for more than `boundMs` meanwhile. */
  async #checkWithin(boundMs: number, when: string): Promise<boolean> {
    const violation = await this.#violation(boundMs, when);
    if (violation !== undefined) this.#run.reportViolation(violation);
    return violation === undefined;
  }

  /** Waits as {@link #checkWithin} does; returns the violation instead of reporting it. */
  async #violation(boundMs: number, when: string): Promise<string | undefined> {
    const { world } = this.#run;
    const idle = this.#keyIdle;
    const untilMs = world.nowMs + this.#timeLimitMs(boundMs);
    const giveUpMs = boundMs + this.#bounds.settleMs(this.#conditions);
    while (idle.longest.ms <= giveUpMs && !this.#areDone && world.nowMs < untilMs)
      await world.advance(Math.max(1, boundMs / STEPS));
    const { ms, waiting } = idle.takeLongest();
    if (ms > boundMs)
      return `${waiting.join(' and ')} waited ${shown(ms)} for a key that nobody held, ${when}; more than ${shown(boundMs)} is too long`;
    return this.#areDone ? undefined : `${this.#unfinished} never came to an end, ${when}`;
  }

  /** All operations that may be left, one after the other, each at its longest. */
  #timeLimitMs(boundMs: number): number {
    const holdsMs = this.#run.schedule.ops.reduce((sum, { holdMs }) => sum + holdMs, 0);
    const left = this.#clients.reduce((sum, client) => sum + client.opsLeft, 0);
    return 2 * (holdsMs + (left + 1) * (boundMs + this.#conditions.ttlMs));
  }

  get #unfinished(): string {
    const busy = this.#clients.filter(({ isDone }) => !isDone).map(({ id }) => id);
    return `an operation of ${busy.join(' and ')}`;
  }

  /** True if a client has died, is paused, or never opened its lock. */
  get #isClientMissing(): boolean {
    return this.#clients.length < this.#run.clients.size;
  }

  get #areDone(): boolean {
    return this.#clients.every(({ isDone }) => isDone);
  }

  /** Releases in the background take no longer than a lease. */
  #waitForCleanup(): Promise<void> {
    return this.#run.world.advance(this.#conditions.ttlMs);
  }

  async #close(): Promise<void> {
    const { world } = this.#run;
    const open = new Set(this.#clients);
    for (const client of this.#clients) void client.close(CLOSE_MS).then(() => open.delete(client));
    const untilMs = world.nowMs + 2 * CLOSE_MS;
    while (open.size > 0 && world.nowMs < untilMs) await world.advance(CLOSE_MS / STEPS);
    this.#reportLeftovers([...open].map(({ id }) => `closing ${id} never ended`));
    await world.advance(FEW_LATENCIES * this.#conditions.latencyMs);
    this.#reportLeftovers([...this.#timersLeft(), ...this.#leftovers('closed')]);
  }

  /**
   * Returns data that is no longer needed. Checked while all clients are connected, since the end of a session would
   * remove it.
   */
  #leftovers(
    at: LeftoverMoment,
    clients: readonly ScheduledClient[] = this.#clients,
  ): readonly string[] {
    const { cluster, subject } = this.#run;
    const processes = clients.map(({ process }) => process);
    return cluster.leftovers(at, { members: this.#servers, processes, keeps: subject.keeps });
  }

  #timersLeft(): readonly string[] {
    const late = this.#clients.filter(({ process }) => process.timers.live > 0);
    return late.map(({ id }) => `${id} has closed, and one of its timers is left`);
  }

  #reportLeftovers(leftovers: readonly string[]): void {
    for (const leftover of leftovers) this.#run.reportViolation(leftover);
  }
}

function shown(ms: number): string {
  return `${Math.round(ms)} ms`;
}
