import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultId, HistoryEvent } from '@holdfast/core';
import { waiting } from '../../compare/evidence.ts';
import {
  type Client,
  type Clients,
  type ContentionWork,
  historyOf,
  type LogEntry,
  livingOnly,
} from '../../plant/index.ts';
import { FAULT_IDS } from '../../simulator/index.ts';

/** How hard a comparison tries. */
export interface WorkloadOptions {
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

/** Long enough for every turn before one's own; a client that waits longer is reported. */
const WAIT_MS = 20_000;

/** How often, and how long apart, to look whether somebody waits. */
const POLLS_MAX = 100;
const POLL_MS = 5;

/** What a fault is tried on. */
export interface FaultTrialContext {
  readonly allClients: Clients;
  /** Opens all columns in a new process. */
  readonly open: (client: Client) => Promise<unknown>;
  readonly column: string;
  readonly isLocked: boolean;
  /** Who works: all of the crew, or one process alone. */
  readonly working: readonly Client[];
  readonly keys: readonly string[];
  readonly effort: WorkloadOptions;
}

type History = readonly HistoryEvent[];

type FaultScenario = (ground: FaultTrialContext) => Promise<readonly History[]>;

const SCENARIOS: Readonly<Partial<Record<FaultId, FaultScenario>>> = {
  none: contention,
  pause,
  'holder-crash': crash,
};

/** The faults that can be played on real servers. */
export const PLAYABLE_FAULTS: readonly FaultId[] = FAULT_IDS.filter((fault) =>
  Object.hasOwn(SCENARIOS, fault),
);

/** Plays one fault on one column; a history for each key. */
export async function runFault(
  fault: FaultId,
  ground: FaultTrialContext,
): Promise<readonly History[]> {
  const play = SCENARIOS[fault];
  if (play === undefined) throw new Error(`${fault} is not played on real servers`);
  return await play(ground);
}

async function contention(ground: FaultTrialContext): Promise<readonly History[]> {
  const { waiters, rounds, thinkMs } = ground.effort;
  const work = { clients: waiters, rounds, thinkMs, waitMs: WAIT_MS, lingers: false };
  await all(ground, ground.working, (key) => ({ key, ...work }));
  return await histories(ground, []);
}

/** Stops the process of a holder on every key at once, until its leases are over and others have moved on. */
async function pause(ground: FaultTrialContext): Promise<readonly History[]> {
  const [victim, working] = await letHolderIn(ground);
  const atMs = victim.stop();
  const standsMs = ground.effort.ttlMs + BEYOND_TTL_MS;
  await sleep(standsMs);
  for (const key of ground.keys) victim.proceed(key);
  victim.resume();
  await working;
  const untilMs = atMs + standsMs;
  return await histories(
    ground,
    injectedFaultEvents(ground, victim, { type: 'paused', atMs, untilMs }),
  );
}

/** `kill -9` for the process of a holder on every key at once; its colleagues go on. */
async function crash(ground: FaultTrialContext): Promise<readonly History[]> {
  const [victim, working] = await letHolderIn(ground);
  const atMs = victim.kill();
  await Promise.all([working, ground.open(ground.allClients.replace(victim))]);
  return await histories(ground, injectedFaultEvents(ground, victim, { type: 'crashed', atMs }));
}

/**
 * Lets one client of the first process into its section of every key, where it lingers, then sets all others to
 * work. In this order, because nothing says who gets a lock first, and the others might be done before.
 */
async function letHolderIn(
  ground: FaultTrialContext,
): Promise<readonly [Client, Promise<unknown>]> {
  const [victim, ...others] = ground.working;
  if (victim === undefined) throw new Error('nobody works');
  const { waiters, roundsUnderFault: rounds, thinkMs } = ground.effort;
  const work = { clients: waiters, rounds, thinkMs, waitMs: WAIT_MS };
  const workOf = (key: string, lingers: boolean): ContentionWork => ({ key, lingers, ...work });
  const inside = Promise.all(ground.keys.map((key) => victim.nextReport('inside', key)));
  const lingering = all(ground, [victim], (key) => workOf(key, true));
  // Working ends before that only by failing.
  await Promise.race([inside, lingering]);
  const working = Promise.all([lingering, all(ground, others, (key) => workOf(key, false))]);
  if (ground.isLocked) await Promise.race([untilOthersWait(ground, victim), working]);
  return [victim, working];
}

/** A fault that nobody waits through shows nothing. Where there is nobody else it strikes all the same, and proves nothing. */
async function untilOthersWait(ground: FaultTrialContext, victim: Client): Promise<void> {
  for (let look = 0; look < POLLS_MAX; look++) {
    const known = await histories(ground, []);
    const isAwaited = (history: History): boolean =>
      [...waiting(history)].some((client) => !client.startsWith(`${victim.name}.`));
    if (known.every(isAwaited)) return;
    await sleep(POLL_MS);
  }
}

/** Done when each of these clients, if it lives, is done with every key. */
async function all(
  { column, keys }: FaultTrialContext,
  clients: readonly Client[],
  workOf: (key: string) => ContentionWork,
): Promise<void> {
  const tasks = clients.flatMap((client) =>
    keys.map((key) => client.run({ kind: 'work', locks: column, work: workOf(key) })),
  );
  await Promise.all(tasks);
}

type InjectedFault =
  | { readonly type: 'paused'; readonly atMs: number; readonly untilMs: number }
  | { readonly type: 'crashed'; readonly atMs: number };

/** The fault, as it struck every client of the victim on every key. */
function injectedFaultEvents(
  { keys, effort }: FaultTrialContext,
  victim: Client,
  injection: InjectedFault,
): readonly LogEntry[] {
  const clients = Array.from({ length: effort.waiters }, (_, n) => `${victim.name}.${n + 1}`);
  return keys.flatMap((key) => clients.map((client) => ({ ...injection, client, key })));
}

async function histories(
  { allClients, keys }: FaultTrialContext,
  struck: readonly LogEntry[],
): Promise<readonly History[]> {
  const found: History[] = [];
  for (const key of keys) {
    const entries = [
      ...(await allClients.entries(key)),
      ...struck.filter((each) => each.key === key),
    ];
    found.push(historyOf(livingOnly(entries)));
  }
  return found;
}
