import type { Arena } from './arena.ts';
import type { ActorClient } from './client.ts';
import type { Leaving, Member } from './cluster.ts';
import { GaveUp } from './denial.ts';
import { Idle } from './idle.ts';
import { GENERAL_PATIENCE, type Patience, type Situation } from './patience.ts';
import { jumpedMs, ruin } from './ruin.ts';
import { type Aftermath, lettersOf } from './schedule.ts';

/** Of the ttl, unless an aftermath says how long: so long that a release comes well before any poll that goes by it. */
const HOLD_SHARE = 0.5;
const GIVES_UP_SHARE = 0.25;
const CLOSE_MS = 5_000;
/** Of a message, one way: by then whoever asked has the key, or waits, and what was taken back is gone. */
const A_FEW_WAYS = 8;
/** In so many parts is a span looked at whether anything is left to wait for. */
const STEPS = 20;

/**
 * After the faults: whoever is healthy, beside a quorum that is, gets the key in bounded time, hands it over without
 * polling, and leaves nothing behind.
 */
export async function demandProgress(arena: Arena, aftermath: Aftermath): Promise<void> {
  await calm(arena, aftermath);
  arena.promptness = undefined;
  const ruined = ruin(arena, aftermath);
  const still = lettersOf(aftermath.still);
  const clients = [...arena.clients.values()].filter(
    ({ isAlive, id, isLocked }) => isAlive && isLocked && !still.includes(id),
  );
  if (clients.length === 0) return;
  const servers = arena.cluster.members.filter((server) => !ruined.includes(server));
  await new Demand(arena, aftermath, clients, servers).run();
}

/** Until the last of the faults that have struck is over. */
async function calm(arena: Arena, { atMs }: Aftermath): Promise<void> {
  const { world } = arena;
  await world.advance(arena.fromMs + atMs - world.nowMs);
  arena.isCalm = true;
  for (;;) {
    const overMs = Math.max(
      ...arena.strikes.all.map(({ untilMs }) => finite(untilMs)),
      arena.repointedUntilMs,
    );
    const readyUs = [...arena.clients.values()].map(({ process }) => process.readyAtUs);
    const servedUs = arena.cluster.members.map(({ readyAtUs }) => readyAtUs);
    const calmMs = Math.max(overMs, Math.max(0, ...readyUs, ...servedUs) / 1000);
    const leftUs = Math.round((calmMs - world.nowMs) * 1000);
    if (leftUs <= 0) return;
    await world.advance(leftUs / 1000);
  }
}

class Demand {
  readonly #arena: Arena;
  readonly #clients: readonly ActorClient[];
  readonly #servers: readonly Member[];
  readonly #patience: Patience;
  readonly #situation: Situation;
  readonly #idle: Idle;
  readonly #isDeaf: boolean;
  /** Drawn, or as long as ever. */
  readonly #holdMs: number;
  /** A hold that was drawn may be over before the others have subscribed. */
  readonly #isOpening: boolean;

  constructor(
    arena: Arena,
    { apartMs, holdMs }: Aftermath,
    clients: readonly ActorClient[],
    servers: readonly Member[],
  ) {
    const { schedule, subject, world, strikes } = arena;
    this.#arena = arena;
    this.#clients = clients;
    this.#servers = servers;
    this.#patience = subject.patience ?? GENERAL_PATIENCE;
    this.#situation = {
      ttlMs: schedule.ttlMs,
      latencyMs: schedule.latencyMs + apartMs,
      lagMs: arena.cluster.lagMs,
      isReaped: schedule.ensemble !== undefined,
      waiters: clients.length,
      jumpedMs: jumpedMs(arena),
    };
    this.#holdMs = holdMs ?? HOLD_SHARE * schedule.ttlMs;
    this.#isOpening = holdMs !== undefined;
    this.#isDeaf =
      !arena.cluster.noticesSilence &&
      strikes.all.some(({ kind }) => arena.faults.get(kind).silences === true);
    this.#idle = new Idle(() => world.nowMs, clients);
    arena.idle = this.#idle;
  }

  async run(): Promise<void> {
    const { waiters } = this.#situation;
    const settleMs = this.#patience.settleMs(this.#situation);
    if (!(await this.#within(settleMs, 'after the faults'))) return;
    // Whoever had nothing more to do may find its connections dead only now.
    this.#ask(this.#clients, 0);
    if (!(await this.#within(settleMs, 'after the faults'))) return;
    if (!(await this.#handsOver())) return;
    if (waiters > 1) this.#arena.sometimes.add('a key was handed over in an aftermath');
    if (!(await this.#oneGivesUp())) return;
    await this.#rest();
    this.#complainOf(this.#leftovers('rest'));
    await this.#close();
  }

  #ask(clients: readonly ActorClient[], holdMs: number): void {
    for (const client of clients) void client.ask(holdMs);
  }

  /**
   * One holds, and the others get the key as soon as it is released. Somebody who stands still may have stopped with a
   * request on its way, which is served behind all that was asked until now; its place is its own until its lease is over.
   * So where the others had to wait too long beside such a one they are asked once more after that.
   */
  async #handsOver(): Promise<boolean> {
    const boundMs = this.#handoverMs(this.#situation.waiters - 1, this.#isOpening);
    await this.#askInTurn();
    const trouble = await this.#trouble(boundMs, 'after a release');
    if (trouble === undefined) return true;
    if (!this.#isSomebodyGone) {
      this.#arena.complain(trouble);
      return false;
    }
    const settleMs = this.#patience.settleMs(this.#situation);
    if (!(await this.#within(settleMs, 'after the faults'))) return false;
    await this.#askInTurn();
    return await this.#within(boundMs, 'after a release');
  }

  /** One holds, and the others wait for it. */
  async #askInTurn(): Promise<void> {
    this.#ask(this.#clients.slice(0, 1), this.#holdMs);
    await this.#arena.world.advance(A_FEW_WAYS * this.#situation.latencyMs);
    this.#ask(this.#clients.slice(1), this.#holdMs);
  }

  /** One waits and goes away; whoever is behind it must not miss the release, and nothing of it may stay. */
  async #oneGivesUp(): Promise<boolean> {
    const { ttlMs, latencyMs } = this.#situation;
    const { world } = this.#arena;
    const [holder, quitter, ...rest] = this.#clients;
    if (holder === undefined || quitter === undefined) return true;
    const giveUp = new AbortController();
    this.#ask([holder], HOLD_SHARE * ttlMs);
    await world.advance(A_FEW_WAYS * latencyMs);
    void quitter.ask(0, giveUp.signal);
    await world.advance(A_FEW_WAYS * latencyMs);
    this.#ask(rest.slice(0, 1), 0);
    await world.advance(GIVES_UP_SHARE * ttlMs);
    quitter.process.deliver('give up', () => giveUp.abort(new GaveUp('it has waited long enough')));
    await world.advance(A_FEW_WAYS * latencyMs);
    // The one in front still holds: later its release would end whatever was left.
    this.#complainOf(this.#leftovers('quit', [quitter]));
    // Slow links leave a lease so little time that it is over by now: the key was on its way to the one that gave up.
    const handovers = holder.holding > 0 ? 1 : 2;
    return await this.#within(handovers * this.#handoverMs(1), 'after a release');
  }

  #handoverMs(waiters: number, isOpening = false): number {
    if (this.#isDeaf) return this.#patience.settleMs(this.#situation);
    return this.#patience.handoverMs({ ...this.#situation, waiters, isOpening });
  }

  /** Waits until everybody is done; complains when the key was idle for more than `boundMs` meanwhile. */
  async #within(boundMs: number, when: string): Promise<boolean> {
    const trouble = await this.#trouble(boundMs, when);
    if (trouble !== undefined) this.#arena.complain(trouble);
    return trouble === undefined;
  }

  /** The same, without complaining: what there would be to complain of. */
  async #trouble(boundMs: number, when: string): Promise<string | undefined> {
    const { world } = this.#arena;
    const idle = this.#idle;
    const untilMs = world.nowMs + this.#endlessMs(boundMs);
    const hopelessMs = boundMs + this.#patience.settleMs(this.#situation);
    while (idle.longest.ms <= hopelessMs && !this.#areDone && world.nowMs < untilMs)
      await world.advance(Math.max(1, boundMs / STEPS));
    const { ms, waiting } = idle.take();
    if (ms > boundMs)
      return `${waiting.join(' and ')} waited ${shown(ms)} for a key that nobody held, ${when}; more than ${shown(boundMs)} is too long`;
    return this.#areDone ? undefined : `${this.#busy} never came to an end, ${when}`;
  }

  /** All that may be asked, one after the other, each at its longest. */
  #endlessMs(boundMs: number): number {
    const holdsMs = this.#arena.schedule.ops.reduce((sum, { holdMs }) => sum + holdMs, 0);
    const left = this.#clients.reduce((sum, client) => sum + client.left, 0);
    return 2 * (holdsMs + (left + 1) * (boundMs + this.#situation.ttlMs));
  }

  get #busy(): string {
    const busy = this.#clients.filter(({ isDone }) => !isDone).map(({ id }) => id);
    return `an operation of ${busy.join(' and ')}`;
  }

  /** Somebody has died, or stands still, or never got to the lock at all. */
  get #isSomebodyGone(): boolean {
    return this.#clients.length < this.#arena.clients.size;
  }

  get #areDone(): boolean {
    return this.#clients.every(({ isDone }) => isDone);
  }

  /** What is given back behind the scenes takes no longer than a lease. */
  #rest(): Promise<void> {
    return this.#arena.world.advance(this.#situation.ttlMs);
  }

  async #close(): Promise<void> {
    const { world } = this.#arena;
    const open = new Set(this.#clients);
    for (const client of this.#clients) void client.close(CLOSE_MS).then(() => open.delete(client));
    const untilMs = world.nowMs + 2 * CLOSE_MS;
    while (open.size > 0 && world.nowMs < untilMs) await world.advance(CLOSE_MS / STEPS);
    this.#complainOf([...open].map(({ id }) => `closing ${id} never ended`));
    await world.advance(A_FEW_WAYS * this.#situation.latencyMs);
    this.#complainOf([...this.#timersLeft(), ...this.#leftovers('closed')]);
  }

  /** What is there that nobody needs any more. While everybody is still connected, what a session's end would hide. */
  #leftovers(at: Leaving, clients: readonly ActorClient[] = this.#clients): readonly string[] {
    const { cluster, subject } = this.#arena;
    const processes = clients.map(({ process }) => process);
    return cluster.leftovers(at, { members: this.#servers, processes, keeps: subject.keeps });
  }

  #timersLeft(): readonly string[] {
    const late = this.#clients.filter(({ process }) => process.timers.live > 0);
    return late.map(({ id }) => `${id} has closed, and one of its timers is left`);
  }

  #complainOf(leftovers: readonly string[]): void {
    for (const leftover of leftovers) this.#arena.complain(leftover);
  }
}

function finite(ms: number): number {
  return Number.isFinite(ms) ? ms : 0;
}

function shown(ms: number): string {
  return `${Math.round(ms)} ms`;
}
