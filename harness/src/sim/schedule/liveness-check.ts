import { AbortedWait } from './acquire-errors.ts';
import type { LeftoverMoment, Member } from './cluster.ts';
import { IdleKeyMonitor } from './idle-key-monitor.ts';
import {
  DEFAULT_LIVENESS_BOUNDS,
  type LivenessBounds,
  type LivenessConditions,
} from './liveness-bounds.ts';
import { breakPermanently, totalJumpMs } from './permanent-faults.ts';
import type { Run } from './run.ts';
import { type Aftermath, clientIdsIn } from './schedule.ts';
import type { ScheduledClient } from './scheduled-client.ts';

/** Of the ttl, unless an aftermath says how long: so long that a release comes well before any poll that goes by it. */
const HOLD_TTLS = 0.5;
const GIVES_UP_SHARE = 0.25;
const CLOSE_MS = 5_000;
/** Of a message, one way: by then whoever asked has the key, or waits, and what was taken back is gone. */
const FEW_LATENCIES = 8;
/** In so many parts is a span looked at whether anything is left to wait for. */
const STEPS = 20;

/**
 * After the faults: whoever is healthy, beside a quorum that is, gets the key in bounded time, hands it over without
 * polling, and leaves nothing behind.
 */
export async function checkLiveness(run: Run, aftermath: Aftermath): Promise<void> {
  await endFaults(run, aftermath);
  run.handoverMonitor = undefined;
  const ruined = breakPermanently(run, aftermath);
  const still = clientIdsIn(aftermath.still);
  const clients = [...run.clients.values()].filter(
    ({ isAlive, id, isLocked }) => isAlive && isLocked && !still.includes(id),
  );
  if (clients.length === 0) return;
  const servers = run.cluster.members.filter((server) => !ruined.includes(server));
  await new LivenessCheck(run, aftermath, clients, servers).run();
}

/** Until the last of the faults that have struck is over. */
async function endFaults(run: Run, { atMs }: Aftermath): Promise<void> {
  const { world } = run;
  await world.advance(run.fromMs + atMs - world.nowMs);
  run.areFaultsOver = true;
  for (;;) {
    const overMs = Math.max(
      ...run.injections.all.map(({ untilMs }) => finite(untilMs)),
      run.repointedUntilMs,
    );
    const readyUs = [...run.clients.values()].map(({ process }) => process.readyAtUs);
    const servedUs = run.cluster.members.map(({ readyAtUs }) => readyAtUs);
    const calmMs = Math.max(overMs, Math.max(0, ...readyUs, ...servedUs) / 1000);
    const leftUs = Math.round((calmMs - world.nowMs) * 1000);
    if (leftUs <= 0) return;
    await world.advance(leftUs / 1000);
  }
}

class LivenessCheck {
  readonly #run: Run;
  readonly #clients: readonly ScheduledClient[];
  readonly #servers: readonly Member[];
  readonly #bounds: LivenessBounds;
  readonly #situation: LivenessConditions;
  readonly #keyIdle: IdleKeyMonitor;
  readonly #missesSilence: boolean;
  /** Drawn, or as long as ever. */
  readonly #holdMs: number;
  /** A hold that was drawn may be over before the others have subscribed. */
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
    this.#situation = {
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
    const { waiters } = this.#situation;
    const settleMs = this.#bounds.settleMs(this.#situation);
    if (!(await this.#checkWithin(settleMs, 'after the faults'))) return;
    // Whoever had nothing more to do may find its connections dead only now.
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
   * One holds, and the others get the key as soon as it is released. Somebody who stands still may have stopped with a
   * request on its way, which is served behind all that was asked until now; its place is its own until its lease is over.
   * So where the others had to wait too long beside such a one they are asked once more after that.
   */
  async #checkHandover(): Promise<boolean> {
    const boundMs = this.#handoverMs(this.#situation.waiters - 1, this.#isOpening);
    await this.#acquireInTurn();
    const trouble = await this.#violation(boundMs, 'after a release');
    if (trouble === undefined) return true;
    if (!this.#isClientMissing) {
      this.#run.reportViolation(trouble);
      return false;
    }
    const settleMs = this.#bounds.settleMs(this.#situation);
    if (!(await this.#checkWithin(settleMs, 'after the faults'))) return false;
    await this.#acquireInTurn();
    return await this.#checkWithin(boundMs, 'after a release');
  }

  /** One holds, and the others wait for it. */
  async #acquireInTurn(): Promise<void> {
    this.#acquireOn(this.#clients.slice(0, 1), this.#holdMs);
    await this.#run.world.advance(FEW_LATENCIES * this.#situation.latencyMs);
    this.#acquireOn(this.#clients.slice(1), this.#holdMs);
  }

  /** One waits and goes away; whoever is behind it must not miss the release, and nothing of it may stay. */
  async #checkGivingUp(): Promise<boolean> {
    const { ttlMs, latencyMs } = this.#situation;
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
    // The one in front still holds: later its release would end whatever was left.
    this.#reportLeftovers(this.#leftovers('quit', [quitter]));
    // Slow links leave a lease so little time that it is over by now: the key was on its way to the one that gave up.
    const handovers = holder.holding > 0 ? 1 : 2;
    return await this.#checkWithin(handovers * this.#handoverMs(1), 'after a release');
  }

  #handoverMs(waiters: number, isOpening = false): number {
    if (this.#missesSilence) return this.#bounds.settleMs(this.#situation);
    return this.#bounds.handoverMs({ ...this.#situation, waiters, isOpening });
  }

  /** Waits until everybody is done; complains when the key was idle for more than `boundMs` meanwhile. */
  async #checkWithin(boundMs: number, when: string): Promise<boolean> {
    const trouble = await this.#violation(boundMs, when);
    if (trouble !== undefined) this.#run.reportViolation(trouble);
    return trouble === undefined;
  }

  /** The same, without complaining: what there would be to complain of. */
  async #violation(boundMs: number, when: string): Promise<string | undefined> {
    const { world } = this.#run;
    const idle = this.#keyIdle;
    const untilMs = world.nowMs + this.#timeLimitMs(boundMs);
    const hopelessMs = boundMs + this.#bounds.settleMs(this.#situation);
    while (idle.longest.ms <= hopelessMs && !this.#areDone && world.nowMs < untilMs)
      await world.advance(Math.max(1, boundMs / STEPS));
    const { ms, waiting } = idle.takeLongest();
    if (ms > boundMs)
      return `${waiting.join(' and ')} waited ${shown(ms)} for a key that nobody held, ${when}; more than ${shown(boundMs)} is too long`;
    return this.#areDone ? undefined : `${this.#unfinished} never came to an end, ${when}`;
  }

  /** All that may be asked, one after the other, each at its longest. */
  #timeLimitMs(boundMs: number): number {
    const holdsMs = this.#run.schedule.ops.reduce((sum, { holdMs }) => sum + holdMs, 0);
    const left = this.#clients.reduce((sum, client) => sum + client.opsLeft, 0);
    return 2 * (holdsMs + (left + 1) * (boundMs + this.#situation.ttlMs));
  }

  get #unfinished(): string {
    const busy = this.#clients.filter(({ isDone }) => !isDone).map(({ id }) => id);
    return `an operation of ${busy.join(' and ')}`;
  }

  /** Somebody has died, or stands still, or never got to the lock at all. */
  get #isClientMissing(): boolean {
    return this.#clients.length < this.#run.clients.size;
  }

  get #areDone(): boolean {
    return this.#clients.every(({ isDone }) => isDone);
  }

  /** What is given back behind the scenes takes no longer than a lease. */
  #waitForCleanup(): Promise<void> {
    return this.#run.world.advance(this.#situation.ttlMs);
  }

  async #close(): Promise<void> {
    const { world } = this.#run;
    const open = new Set(this.#clients);
    for (const client of this.#clients) void client.close(CLOSE_MS).then(() => open.delete(client));
    const untilMs = world.nowMs + 2 * CLOSE_MS;
    while (open.size > 0 && world.nowMs < untilMs) await world.advance(CLOSE_MS / STEPS);
    this.#reportLeftovers([...open].map(({ id }) => `closing ${id} never ended`));
    await world.advance(FEW_LATENCIES * this.#situation.latencyMs);
    this.#reportLeftovers([...this.#timersLeft(), ...this.#leftovers('closed')]);
  }

  /** What is there that nobody needs any more. While everybody is still connected, what a session's end would hide. */
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

function finite(ms: number): number {
  return Number.isFinite(ms) ? ms : 0;
}

function shown(ms: number): string {
  return `${Math.round(ms)} ms`;
}
