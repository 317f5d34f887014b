import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultId, HistoryEvent } from '@holdfast/core';
import { type Entry, historyOf } from '@holdfast/processes';
import { FAULT_IDS } from '@holdfast/sim';
import { waiting } from '../compare/took-effect.ts';
import type { Crew } from './crew.ts';
import type { Work } from './messages.ts';
import type { Worker } from './worker.ts';

/** How hard a comparison tries. */
export interface Effort {
  /** Clients in each process. */
  readonly waiters: number;
  /** Updates of each client where there is contention only. */
  readonly rounds: number;
  /** Updates of each client in a trial of a fault. */
  readonly roundsUnderFault: number;
  /** Repetitions of a fault, all at once, each on a key of its own. */
  readonly trials: number;
  readonly thinkMs: number;
  readonly ttlMs: number;
}

/** How much longer than its ttl a stopped holder stands still. */
const BEYOND_TTL_MS = 300;

/** How often, and how long apart, to look whether somebody waits. */
const LOOKS = 100;
const LOOK_MS = 5;

/** What a fault is tried on. */
export interface Ground {
  readonly crew: Crew;
  readonly column: string;
  readonly isLocked: boolean;
  /** Who works: all of the crew, or one process alone. */
  readonly workers: readonly Worker[];
  readonly keys: readonly string[];
  readonly effort: Effort;
}

type History = readonly HistoryEvent[];

type Play = (ground: Ground) => Promise<readonly History[]>;

const PLAYS: Readonly<Partial<Record<FaultId, Play>>> = {
  none: contention,
  pause,
  'holder-crash': crash,
};

/** The faults that can be played on real servers. */
export const PLAYED: readonly FaultId[] = FAULT_IDS.filter((fault) => Object.hasOwn(PLAYS, fault));

/** Plays one fault on one column; a history for each key. */
export async function tryFault(fault: FaultId, ground: Ground): Promise<readonly History[]> {
  const play = PLAYS[fault];
  if (play === undefined) throw new Error(`${fault} is not played on real servers`);
  return await play(ground);
}

async function contention(ground: Ground): Promise<readonly History[]> {
  const { waiters, rounds, thinkMs } = ground.effort;
  await all(ground, ground.workers, (key) => ({ key, waiters, rounds, thinkMs, lingers: false }));
  return await histories(ground, []);
}

/** Stops the process of a holder on every key at once, until its leases are over and others have moved on. */
async function pause(ground: Ground): Promise<readonly History[]> {
  const [victim, working] = await untilInside(ground);
  const atMs = victim.stop();
  const standsMs = ground.effort.ttlMs + BEYOND_TTL_MS;
  await sleep(standsMs);
  for (const key of ground.keys) victim.proceed(key);
  victim.resume();
  await working;
  const untilMs = atMs + standsMs;
  return await histories(ground, strikes(ground, victim, { type: 'paused', atMs, untilMs }));
}

/** `kill -9` for the process of a holder on every key at once; its colleagues go on. */
async function crash(ground: Ground): Promise<readonly History[]> {
  const [victim, working] = await untilInside(ground);
  const atMs = victim.kill();
  await Promise.all([working, ground.crew.replace(victim)]);
  return await histories(ground, strikes(ground, victim, { type: 'crashed', atMs }));
}

/**
 * Lets one client of the first process into its section of every key, where it lingers, then sets all others to
 * work. In this order, because nothing says who gets a lock first, and the others might be done before.
 */
async function untilInside(ground: Ground): Promise<readonly [Worker, Promise<unknown>]> {
  const [victim, ...others] = ground.workers;
  if (victim === undefined) throw new Error('nobody works');
  const { waiters, roundsUnderFault: rounds, thinkMs } = ground.effort;
  const workOf = (key: string, lingers: boolean): Work => ({
    key,
    waiters,
    rounds,
    thinkMs,
    lingers,
  });
  const inside = Promise.all(ground.keys.map((key) => victim.inside(key)));
  const lingering = all(ground, [victim], (key) => workOf(key, true));
  // Working ends before that only by failing.
  await Promise.race([inside, lingering]);
  const working = Promise.all([lingering, all(ground, others, (key) => workOf(key, false))]);
  if (ground.isLocked) await Promise.race([untilOthersWait(ground, victim), working]);
  return [victim, working];
}

/** A fault that nobody waits through shows nothing. Where there is nobody else it strikes all the same, and proves nothing. */
async function untilOthersWait({ crew, keys }: Ground, victim: Worker): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const entries = await crew.entries();
    const isAwaited = (key: string): boolean =>
      [...waiting(historyOf(entries.filter((entry) => entry.key === key)))].some(
        (client) => !client.startsWith(`${victim.name}.`),
      );
    if (keys.every(isAwaited)) return;
    await sleep(LOOK_MS);
  }
}

/** Done when each of these workers, if it lives, is done with every key. */
async function all(
  { column, keys }: Ground,
  workers: readonly Worker[],
  workOf: (key: string) => Work,
): Promise<void> {
  const tasks = workers.flatMap((worker) =>
    keys.map((key) => worker.ask({ kind: 'work', column, work: workOf(key) })),
  );
  await Promise.all(tasks);
}

type Strike =
  | { readonly type: 'paused'; readonly atMs: number; readonly untilMs: number }
  | { readonly type: 'crashed'; readonly atMs: number };

/** The fault, as it struck every client of the victim on every key. */
function strikes({ keys, effort }: Ground, victim: Worker, strike: Strike): readonly Entry[] {
  const clients = Array.from({ length: effort.waiters }, (_, n) => `${victim.name}.${n + 1}`);
  return keys.flatMap((key) => clients.map((client) => ({ ...strike, client, key })));
}

async function histories(
  { crew, keys }: Ground,
  struck: readonly Entry[],
): Promise<readonly History[]> {
  const entries = await crew.entries();
  const deaths = new Map(
    struck.filter(({ type }) => type === 'crashed').map(({ client, atMs }) => [client, atMs]),
  );
  // A signal takes a moment to arrive. What the dead still wrote down meanwhile is left out; what they sent counts.
  const isAlive = ({ type, client, atMs }: Entry): boolean =>
    type === 'write' || atMs <= (deaths.get(client) ?? Number.POSITIVE_INFINITY);
  const living = [...entries.filter(isAlive), ...struck];
  return keys.map((key) => historyOf(living.filter((entry) => entry.key === key)));
}
