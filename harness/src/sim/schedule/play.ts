import type { HistoryEvent } from '@holdfast/core';
import type { Driver } from '../driver.ts';
import { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from '../errors.ts';
import { Script } from '../exhaustive/script.ts';
import { steer } from '../exhaustive/steer.ts';
import type { TraceRecord } from '../trace.ts';
import { Arena } from './arena.ts';
import { ActorClient } from './client.ts';
import type { Given } from './cluster-of.ts';
import { demandProgress } from './demand.ts';
import { type Freed, WatchedQueue } from './frees.ts';
import { type HoldRecord, holdRecordsOf } from './hold-records.ts';
import { type ServerHold, serverHoldsOf } from './holds.ts';
import { type Place, placesOf } from './places.ts';
import { Promptness } from './promptness.ts';
import { type RefusalRecord, refusalRecordsOf } from './refusal-records.ts';
import { repoint } from './repoint.ts';
import { clientsOf, type Schedule } from './schedule.ts';
import { type Sometimes, seenIn } from './sometimes.ts';
import type { Strike } from './strikes.ts';
import type { Subject } from './subject.ts';
import type { Touch } from './touch.ts';

export interface PlayOptions {
  /** Whether to keep the trace and its hash; a search goes without, twice as fast. Off by default. */
  readonly trace?: boolean;
  /** Whether real clocks, timers and random sources throw meanwhile. Off by default. */
  readonly guard?: boolean;
  readonly driver?: Driver;
  /** Whether to watch when the servers could grant each hold to another, and to wait for that. Off by default. */
  readonly frees?: boolean;
  /** What nothing that ends exceeds; 50 000 by default. */
  readonly maxEvents?: number;
}

/** What a run came to. */
export interface Played {
  readonly schedule: Schedule;
  readonly subject: string;
  readonly history: readonly HistoryEvent[];
  /** What a history cannot show: whoever waits for ever, timers and renewals that outlive a lease, unhandled rejections. */
  readonly complaints: readonly string[];
  /** What renewals, releases and undos did to the holds of others, on the Redis nodes. */
  readonly touches: readonly Touch[];
  /** What the servers' own records say of every hold that was granted; absent where a lock uses none that is known. */
  readonly records?: readonly HoldRecord[];
  /** How every acquisition went that was refused, in a schedule in which somebody gives up; empty in others. */
  readonly refusals?: readonly RefusalRecord[];
  /** What of the real world the lock reached for under the guard; then the rest says nothing about it. */
  readonly ambient?: string;
  /** When the servers could have granted each hold to another, in order; absent unless asked for. */
  readonly frees?: readonly Freed[];
  /** Where each holder had come to stand in the queue; absent where the lock has none that could be looked into. */
  readonly places?: readonly Place[];
  /** Whom every server took for the holder, one after the other; empty without `trace`. */
  readonly serverHolds: readonly ServerHold[];
  readonly strikes: readonly Strike[];
  /** Whether a fault took effect while one client held and another waited; without faults, whether that was ever so. */
  readonly effective: boolean;
  /** Operations of clients that lived, and how many of those wrote what they had to. */
  readonly ops: number;
  readonly accepted: number;
  /** Rare states that were reached, each of which some schedules have to reach, lest they prove nothing. */
  readonly sometimes: ReadonlySet<Sometimes>;
  /** Empty without `trace`. */
  readonly trace: readonly TraceRecord[];
  readonly hash: string | undefined;
}

const EVENTS_MAX = 50_000;
/** Ten minutes: ten times as long as anybody waits. */
const VIRTUAL_MS_MAX = 600_000;

/**
 * Plays a schedule on a lock, in a world of its own. Never rejects for anything that the lock does: what went wrong
 * besides the history is among the complaints.
 */
export async function play(
  given: Given,
  schedule: Schedule,
  subject: Subject,
  { trace = false, guard = false, maxEvents = EVENTS_MAX, driver, frees = false }: PlayOptions = {},
): Promise<Played> {
  if (schedule.choices !== undefined) {
    const script = new Script(schedule.choices);
    const options = { trace, guard, ...(driver === undefined ? {} : { driver }) };
    return (await steer(given.clusterOf, schedule, subject, script, options)).played;
  }
  const limits = { maxEvents, maxVirtualMs: VIRTUAL_MS_MAX };
  const queue = frees ? new WatchedQueue() : undefined;
  const arena = new Arena(schedule, subject, given, {
    trace,
    guard,
    ...limits,
    ...(queue === undefined ? {} : { queue }),
    ...(driver === undefined ? {} : { driver }),
  });
  if (queue !== undefined) queue.onNext = arena.watchFrees();
  try {
    await arena.world.run(() => perform(arena));
  } catch (error) {
    arena.complain(complaintOf(error, arena));
    if (error instanceof SimAmbientError)
      return { ...outcome(arena, trace), ambient: error.message };
  }
  return outcome(arena, trace);
}

async function perform(arena: Arena): Promise<void> {
  const { schedule, clients, faults } = arena;
  for (const id of clientsOf(schedule)) clients.set(id, new ActorClient(id, arena));
  const early = [...clients.values()].filter(({ isNewcomer }) => !isNewcomer);
  await Promise.all(early.map((client) => client.open()));
  arena.fromMs = arena.world.nowMs;
  if (schedule.newcomers === undefined) arena.promptness = new Promptness(arena);
  for (const [index, fault] of schedule.faults.entries())
    faults.get(fault.kind).arm(arena, fault, index);
  for (const op of schedule.ops) clients.get(op.client)?.start(op);
  for (const { client, atMs } of schedule.closings ?? [])
    arena.at(atMs, () => clients.get(client)?.shutDown());
  for (const { client, atMs } of schedule.collections ?? [])
    arena.at(atMs, () => clients.get(client)?.collect());
  for (const each of schedule.repointings ?? []) arena.at(each.atMs, () => repoint(arena, each));
  if (schedule.aftermath === undefined) await arena.rest;
  else await demandProgress(arena, schedule.aftermath);
  while (arena.frees?.isOver === false) await arena.world.advance(schedule.ttlMs);
}

/** What ended a run that did not end by itself. */
function complaintOf(error: unknown, { clients }: Arena): string {
  if (error instanceof SimStuckError) {
    const waiting = [...clients.values()].filter(({ isDone }) => !isDone).map(({ id }) => id);
    return `an operation of ${waiting.join(', ')} never ended`;
  }
  if (error instanceof SimLimitError) return `it never comes to an end: ${error.message}`;
  if (error instanceof SimUnhandledError || error instanceof SimAmbientError) return error.message;
  return `the lock threw: ${error instanceof Error ? error.message : String(error)}`;
}

function outcome(arena: Arena, isTraced: boolean): Played {
  const { world, schedule, subject, strikes, complaints } = arena;
  const clients = [...arena.clients.values()].filter(({ isAlive }) => isAlive);
  const history = arena.recorder.history();
  const { cluster } = arena;
  const { touches, hasLostUnreplicated } = cluster.observed();
  return {
    schedule,
    subject: subject.name,
    history,
    complaints,
    touches,
    records: holdRecordsOf(arena),
    refusals: refusalRecordsOf(arena),
    ...(arena.frees === undefined ? {} : { frees: arena.frees.all }),
    ...(cluster.hasQueue ? { places: placesOf(arena) } : {}),
    serverHolds: serverHoldsOf(cluster, history),
    strikes: strikes.all,
    effective:
      schedule.faults.length === 0 ? arena.sometimes.has('contended acquire') : strikes.effective,
    ops: sum(clients.map(({ ops }) => ops)),
    accepted: sum(clients.map(({ accepted }) => accepted)),
    sometimes: new Set([
      ...arena.sometimes,
      ...(hasLostUnreplicated ? (['an unreplicated lock was lost'] as const) : []),
      ...seenIn(history),
    ]),
    trace: isTraced ? world.trace.records : [],
    hash: isTraced ? world.trace.hash() : undefined,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
