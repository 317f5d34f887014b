import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultId, HistoryEvent } from '@holdfast/core/backend';
import { waiting } from '../../compare/evidence.ts';
import {
  type Client,
  type Clients,
  type ContentionWork,
  historyOf,
  type LogEntry,
  livingOnly,
} from '../../real/index.ts';
import { FAULT_IDS, NONE } from '../../simulator/index.ts';

/** The size of the workload of a comparison. */
export interface WorkloadOptions {
  /** Clients in each process. */
  readonly waiters: number;
  /** Updates of each client under contention only. */
  readonly rounds: number;
  /** Updates of each client under a fault. */
  readonly roundsUnderFault: number;
  /** Repetitions of a fault, all at once, each on its own key. */
  readonly trials: number;
  readonly thinkMs: number;
  readonly ttlMs: number;
}

/** The time beyond its ttl that a holder is paused, in ms. */
const BEYOND_TTL_MS = 300;

/** Long enough for all clients that come first; a client that waits longer is reported. */
const WAIT_MS = 20_000;

/** The number of times that the history is polled for a waiter, and the interval in ms. */
const POLLS_MAX = 100;
const POLL_MS = 5;

/** The context in which a fault is run. */
export interface FaultTrialContext {
  readonly allClients: Clients;
  /** Opens all columns in a new process. */
  readonly open: (client: Client) => Promise<unknown>;
  readonly column: string;
  readonly isLocked: boolean;
  /** The working clients: all of them, or one process alone. */
  readonly working: readonly Client[];
  readonly keys: readonly string[];
  readonly effort: WorkloadOptions;
}

type History = readonly HistoryEvent[];

type FaultScenario = (context: FaultTrialContext) => Promise<readonly History[]>;

/** The fault after which the takeover is measured. */
export const TAKEOVER_FAULT: FaultId = 'holder-crash';

const SCENARIOS: Readonly<Partial<Record<FaultId, FaultScenario>>> = {
  [NONE]: contention,
  pause,
  [TAKEOVER_FAULT]: crash,
};

/** The faults that the short profile can run. */
export const PLAYABLE_FAULTS: readonly FaultId[] = FAULT_IDS.filter((fault) =>
  Object.hasOwn(SCENARIOS, fault),
);

/** Runs one fault on one column; returns a history for each key. */
export async function runFault(
  fault: FaultId,
  context: FaultTrialContext,
): Promise<readonly History[]> {
  const scenario = SCENARIOS[fault];
  if (scenario === undefined) throw new Error(`${fault} cannot run in the short profile`);
  return await scenario(context);
}

async function contention(context: FaultTrialContext): Promise<readonly History[]> {
  const { waiters, rounds, thinkMs } = context.effort;
  const work = { clients: waiters, rounds, thinkMs, waitMs: WAIT_MS, lingers: false };
  await all(context, context.working, (key) => ({ key, ...work }));
  return await histories(context, []);
}

/** Pauses the process that holds every key, until its leases are over and other clients have acquired the keys. */
async function pause(context: FaultTrialContext): Promise<readonly History[]> {
  const [victim, working] = await letHolderIn(context);
  const atMs = victim.stop();
  const pausedMs = context.effort.ttlMs + BEYOND_TTL_MS;
  await sleep(pausedMs);
  for (const key of context.keys) victim.proceed(key);
  victim.resume();
  await working;
  const untilMs = atMs + pausedMs;
  return await histories(
    context,
    injectedFaultEvents(context, victim, { type: 'paused', atMs, untilMs }),
  );
}

/** Sends `kill -9` to the process that holds every key; the other clients continue. */
async function crash(context: FaultTrialContext): Promise<readonly History[]> {
  const [victim, working] = await letHolderIn(context);
  const atMs = victim.kill();
  await Promise.all([working, context.open(context.allClients.replace(victim))]);
  return await histories(context, injectedFaultEvents(context, victim, { type: 'crashed', atMs }));
}

/**
 * Lets one client of the first process enter its critical section of every key, where it lingers, then starts all others.
 * Started together, the others might acquire first, and be done before.
 */
async function letHolderIn(
  context: FaultTrialContext,
): Promise<readonly [Client, Promise<unknown>]> {
  const [victim, ...others] = context.working;
  if (victim === undefined) throw new Error('there is no client');
  const { waiters, roundsUnderFault: rounds, thinkMs } = context.effort;
  const work = { clients: waiters, rounds, thinkMs, waitMs: WAIT_MS };
  const workOf = (key: string, lingers: boolean): ContentionWork => ({ key, lingers, ...work });
  const inside = Promise.all(context.keys.map((key) => victim.nextReport('inside', key)));
  const lingering = all(context, [victim], (key) => workOf(key, true));
  // The work ends before that only by failing.
  await Promise.race([inside, lingering]);
  const working = Promise.all([lingering, all(context, others, (key) => workOf(key, false))]);
  if (context.isLocked) await Promise.race([untilOthersWait(context, victim), working]);
  return [victim, working];
}

/**
 * Waits until other clients wait: a fault without a waiter shows nothing. Without other clients the fault is injected
 * all the same, and proves nothing.
 */
async function untilOthersWait(context: FaultTrialContext, victim: Client): Promise<void> {
  for (let look = 0; look < POLLS_MAX; look++) {
    const known = await histories(context, []);
    const isAwaited = (history: History): boolean =>
      [...waiting(history)].some((client) => !client.startsWith(`${victim.name}.`));
    if (known.every(isAwaited)) return;
    await sleep(POLL_MS);
  }
}

/** Resolves when each of these clients that is alive is done with every key. */
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

/** The fault as events, one for every client of the victim on every key. */
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
  injected: readonly LogEntry[],
): Promise<readonly History[]> {
  const found: History[] = [];
  for (const key of keys) {
    const entries = [
      ...(await allClients.entries(key)),
      ...injected.filter((each) => each.key === key),
    ];
    found.push(historyOf(livingOnly(entries)));
  }
  return found;
}
